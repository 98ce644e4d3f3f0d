package embedded

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open1(t *testing.T, dir string) (*Broker, *kgo.Client) {
	t.Helper()
	b, err := Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.Addrs()...), kgo.Dialer(b.Dial), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"t": {0: kgo.NewOffset().AtStart()}}))
	if err != nil {
		t.Fatal(err)
	}
	return b, cl
}

// fill makes topic t with small segments and appends n records, each in its own batch.
func fill(t *testing.T, cl *kgo.Client, from, n int) {
	t.Helper()
	size := "4096"
	_, _ = kadm.NewClient(cl).CreateTopic(t.Context(), 1, 1, map[string]*string{"segment.bytes": &size}, "t") // or it is there
	for i := from; i < from+n; i++ {
		r := &kgo.Record{Topic: "t", Value: fmt.Appendf(nil, "%d %0200d", i, i)}
		if err := cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

// killed copies the directory of a running broker, as kill -9 would leave it.
func killed(t *testing.T, dir string) string {
	t.Helper()
	out := t.TempDir()
	if err := os.CopyFS(out, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return out
}

// values reads n values of topic t.
func values(t *testing.T, cl *kgo.Client, n int) []string {
	t.Helper()
	var out []string
	for len(out) < n {
		f := cl.PollFetches(t.Context())
		if err := f.Err0(); err != nil {
			t.Fatal(err)
		}
		f.EachRecord(func(r *kgo.Record) {
			var i int
			if _, err := fmt.Sscan(string(r.Value), &i); err != nil {
				t.Error(err)
			}
			out = append(out, fmt.Sprintf("%d@%d", i, r.Offset))
		})
	}
	return out
}

func TestAKilledBrokerHasEveryRecordAgainAndGoesOn(t *testing.T) {
	dir := t.TempDir()
	b, cl := open1(t, dir)
	fill(t, cl, 0, 100)
	after := killed(t, dir)
	cl.Close()
	b.Close()
	b, cl = open1(t, after)
	defer func() { cl.Close(); b.Close() }()
	if d := b.Damage(); len(d) > 0 {
		t.Errorf("damage after a kill: %v", d)
	}
	if snap, ok := readSnapshot(filepath.Join(after, "partitions", "t-0")); !ok || snap.HighWatermark != 100 || len(snap.Segments) < 2 {
		t.Errorf("snapshot %+v, %v: the broker would hold the log in memory", snap, ok)
	}
	fill(t, cl, 100, 10)
	for i, v := range values(t, cl, 110) {
		if want := fmt.Sprintf("%d@%d", i, i); v != want {
			t.Fatalf("record %s, want %s", v, want)
		}
	}
}

func TestADamagedEndIsCutAndReportedAndTheLogGoesOn(t *testing.T) {
	for _, orderly := range []bool{true, false} {
		t.Run(fmt.Sprintf("closed in order %v", orderly), func(t *testing.T) {
			dir := t.TempDir()
			b, cl := open1(t, dir)
			fill(t, cl, 0, 30)
			after := killed(t, dir)
			cl.Close()
			b.Close()
			if orderly {
				after = dir
			}
			part := filepath.Join(after, "partitions", "t-0")
			bases, err := segments(part)
			if err != nil {
				t.Fatal(err)
			}
			last := bases[len(bases)-1]
			path := filepath.Join(part, segmentName(last))
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			raw[len(raw)-1] ^= 1 // in the last batch
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			b, cl = open1(t, after)
			defer func() { cl.Close(); b.Close() }()
			d := b.Damage()
			if len(d) != 1 || d[0].Topic != "t" || d[0].From != 29 || d[0].Bytes == 0 {
				t.Errorf("damage %+v, want one, from offset 29", d)
			}
			fill(t, cl, 50, 2)
			got := values(t, cl, 31)
			if got[28] != "28@28" || got[29] != "50@29" || got[30] != "51@30" {
				t.Errorf("end of the log: %v", got[28:])
			}
		})
	}
}

func TestTheBrokerHasNoPort(t *testing.T) {
	b, cl := open1(t, "")
	defer func() { cl.Close(); b.Close() }()
	for _, a := range b.Addrs() {
		var d net.Dialer
		c, err := d.DialContext(t.Context(), "tcp", a)
		if err == nil {
			c.Close()
			t.Errorf("%s can be dialled", a)
		}
	}
}

func FuzzCheckSegment(f *testing.F) {
	f.Add([]byte{})
	f.Add(make([]byte, 61))
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xff\xff\xff0000000000000000000000000000000000000000000000000000000000"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "0.dat")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := checkSegment(path, 0)
		if err != nil || s.size+s.cut != int64(len(raw)) {
			t.Fatalf("%+v, %v of %d bytes", s, err, len(raw))
		}
		again, err := checkSegment(path, 0)
		if err != nil || again.cut != 0 || again.size != s.size {
			t.Fatalf("after the cut: %+v, %v", again, err)
		}
	})
}

// After kill -9 a log is checked batch by batch and opened segment by segment: what that takes in
// memory is a few segments, however long the log is.
func TestALargeLogOpensInLittleMemory(t *testing.T) {
	dir := t.TempDir()
	b, cl := open1(t, dir)
	if _, err := kadm.NewClient(cl).CreateTopic(t.Context(), 1, 1, nil, "t"); err != nil {
		t.Fatal(err)
	}
	r := &kgo.Record{Topic: "t", Value: make([]byte, 256<<10)} // not to be compressed
	if _, err := rand.NewChaCha8([32]byte{}).Read(r.Value); err != nil {
		t.Fatal(err)
	}
	if err := cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
		t.Fatal(err)
	}
	after := killed(t, dir)
	cl.Close()
	b.Close()
	const batches = 1024
	size := repeatBatch(t, filepath.Join(after, "partitions", "t-0"), batches)

	var before, opened runtime.MemStats
	runtime.ReadMemStats(&before)
	b, cl = open1(t, after)
	defer func() { cl.Close(); b.Close() }()
	runtime.ReadMemStats(&opened)
	if d := b.Damage(); len(d) > 0 {
		t.Fatalf("damage after a kill: %v", d)
	}
	if ends, err := kadm.NewClient(cl).ListEndOffsets(t.Context(), "t"); err != nil || ends["t"][0].Offset != batches {
		t.Fatalf("the log ends at %d, %v; want %d", ends["t"][0].Offset, err, batches)
	}
	most := int64(opened.HeapSys) - int64(before.HeapSys)
	t.Logf("a log of %d MiB took %d MiB of heap", size>>20, most>>20)
	if most > size/2 {
		t.Errorf("opening a log of %d MiB took %d MiB of heap", size>>20, most>>20)
	}
}

// repeatBatch makes a partition of one batch into one of n equal batches with rising offsets, in
// segments of 16 MiB as the topics of a crawl have them. It returns the bytes. The checksum of a
// batch does not cover its offset.
func repeatBatch(t *testing.T, dir string, n int) int64 {
	t.Helper()
	batch, err := os.ReadFile(filepath.Join(dir, segmentName(0)))
	if err != nil {
		t.Fatal(err)
	}
	each := (16 << 20) / len(batch)
	for from := 0; from < n; from += each {
		var segment []byte
		for i := from; i < min(n, from+each); i++ {
			binary.BigEndian.PutUint64(batch, uint64(i))
			segment = append(segment, batch...)
		}
		if err := os.WriteFile(filepath.Join(dir, segmentName(int64(from))), segment, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return int64(n) * int64(len(batch))
}
