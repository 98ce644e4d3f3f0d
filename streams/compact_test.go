package streams_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/embedded"
	"millrace/topics"
)

// grown is a table of the embedded broker: one partition of the topic ranks, whose cap is 32 MiB,
// so that it is compacted from 8 MiB on.
type grown struct {
	*testing.T
	opts streams.Options
	log  *streams.Log
	k    *streams.Keeper
	cl   *kgo.Client
	want map[string]string // the last value of each key
	rnd  *rand.ChaCha8
}

const grownTopic = "ranks"

func newGrown(t *testing.T) *grown {
	b, err := embedded.Open(t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	g := &grown{T: t, want: map[string]string{}, rnd: rand.NewChaCha8([32]byte{})}
	g.opts = streams.Options{Brokers: b.Addrs(), Dial: b.Dial, Sync: b.Sync, Tables: &sync.RWMutex{}}
	if err := streams.Provision(t.Context(), g.opts, streams.DefaultLayout(true)); err != nil {
		t.Fatal(err)
	}
	g.open()
	if g.cl, err = kgo.NewClient(kgo.SeedBrokers(b.Addrs()...), kgo.Dialer(b.Dial), kgo.RecordPartitioner(kgo.ManualPartitioner())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.cl.Close)
	return g
}

// open makes a Keeper that knows nothing of an earlier one.
func (g *grown) open() {
	var err error
	if g.log, err = streams.NewLog(g.opts); err != nil {
		g.Fatal(err)
	}
	g.Cleanup(g.log.Close)
	g.k = streams.NewKeeper(g.log, streams.DefaultLayout(true), slog.New(slog.DiscardHandler))
}

// put appends n values of 2 KiB to each of the keys from..to, with the time at.
func (g *grown) put(from, to, n int, at time.Time) {
	g.Helper()
	var list []*kgo.Record
	for range n {
		for i := from; i < to; i++ {
			value := make([]byte, 2048)
			_, _ = g.rnd.Read(value)
			key := fmt.Sprint("key ", i)
			list = append(list, &kgo.Record{Topic: grownTopic, Key: []byte(key), Value: value, Timestamp: at})
			g.want[key] = string(value)
		}
	}
	g.append(list...)
}

// del appends tombstones.
func (g *grown) del(from, to int, at time.Time) {
	g.Helper()
	for i := from; i < to; i++ {
		key := fmt.Sprint("key ", i)
		g.append(&kgo.Record{Topic: grownTopic, Key: []byte(key), Timestamp: at})
		delete(g.want, key)
	}
}

func (g *grown) append(list ...*kgo.Record) {
	g.Helper()
	if err := g.cl.ProduceSync(g.Context(), list...).FirstErr(); err != nil {
		g.Fatal(err)
	}
}

func (g *grown) sweep(times int) {
	g.Helper()
	for range times {
		if err := g.k.Sweep(g.Context()); err != nil {
			g.Fatal(err)
		}
	}
}

// fold reads the table from an offset on.
func (g *grown) fold(from int64) (values map[string]string, tombstones map[string]bool, records int64) {
	g.Helper()
	end, err := g.log.End(g.Context(), grownTopic, 0)
	if err != nil {
		g.Fatal(err)
	}
	values, tombstones = map[string]string{}, map[string]bool{}
	err = g.log.Scan(g.Context(), grownTopic, 0, from, end, func(r streams.Raw) error {
		records++
		delete(values, r.Key)
		delete(tombstones, r.Key)
		if r.Value == nil {
			tombstones[r.Key] = true
		} else {
			values[r.Key] = string(r.Value)
		}
		return nil
	})
	if err != nil {
		g.Fatal(err)
	}
	return values, tombstones, records
}

func (g *grown) wantWhole() {
	g.Helper()
	if got, _, _ := g.fold(0); !maps.Equal(got, g.want) {
		g.Errorf("the table has %d keys, want %d, or other values", len(got), len(g.want))
	}
}

// A table keeps the last record of every key with its time, and its tombstones for a day; what is
// dead goes, and a table without much that is dead is left alone.
func TestATableIsCompacted(t *testing.T) {
	g := newGrown(t)
	now := time.Now().Truncate(time.Millisecond)
	g.put(0, 50, 1, now.Add(-48*time.Hour)) // alive, in the oldest part
	g.put(50, 300, 20, now)
	g.del(100, 110, now.Add(-48*time.Hour))
	g.del(110, 120, now.Add(-time.Hour))
	_, _, before := g.fold(0)
	g.sweep(3)
	values, gone, after := g.fold(0)
	g.wantWhole()
	if len(values) != 280 || after > 2*300 || after >= before/5 {
		t.Errorf("%d of %d records are left of %d keys", after, before, len(values))
	}
	if len(gone) != 10 || !gone["key 115"] {
		t.Errorf("tombstones of a day: %v, want the ten of the last hour", gone)
	}
	times := map[string]time.Time{}
	end, _ := g.log.End(t.Context(), grownTopic, 0)
	if err := g.log.Scan(t.Context(), grownTopic, 0, 0, end, func(r streams.Raw) error {
		times[r.Key] = r.Time
		return nil
	}); err != nil || !times["key 7"].Equal(now.Add(-48*time.Hour)) || !times["key 200"].Equal(now) {
		t.Errorf("copies have other times: %v, %v: %v", times["key 7"], times["key 200"], err)
	}
	g.put(1000, 7000, 1, now)
	start, _ := g.log.Start(t.Context(), grownTopic, 0)
	g.sweep(3)
	if again, _ := g.log.Start(t.Context(), grownTopic, 0); again != start {
		t.Errorf("a table of live records was copied: it began at %d, now at %d", start, again)
	}
	g.wantWhole()
}

// A reader that keeps its own position finds every record, however far it is behind.
func TestAFollowerOfATableIsWaitedFor(t *testing.T) {
	g := newGrown(t)
	at := int64(700)
	g.k.Follow(grownTopic, "reader", func() map[int32]int64 { return map[int32]int64{0: at} })
	g.put(0, 100, 60, time.Now())
	g.sweep(4)
	if start, _ := g.log.Start(t.Context(), grownTopic, 0); start > at || start == 0 {
		t.Errorf("the table begins at %d, the reader is at %d", start, at)
	}
	if got, _, _ := g.fold(at); !maps.Equal(got, g.want) {
		t.Error("the reader does not find all that came")
	}
	at = 1 << 40
	g.sweep(4)
	if _, _, n := g.fold(0); n > 250 {
		t.Errorf("%d records of 100 keys are left", n)
	}
	g.wantWhole()
}

// A reader too far behind fills the log, and it says who that is.
func TestATableFullOfUnreadRecordsSaysSo(t *testing.T) {
	g := newGrown(t)
	g.k.Follow(grownTopic, "reader", func() map[int32]int64 { return nil })
	g.put(0, 100, 170, time.Now())
	g.sweep(1)
	if f := g.k.Filled(); len(f) != 1 || f[0].Topic != grownTopic || f[0].Groups[0] != "reader" {
		t.Errorf("filled: %v", f)
	}
}

// A crash after the copies were appended and before the part was deleted changes nothing, and the
// next Keeper goes on.
func TestACrashWhileATableIsCompactedLosesNothing(t *testing.T) {
	g := newGrown(t)
	g.put(0, 100, 50, time.Now())
	whole := g.opts.Sync
	crash := errors.New("the disk is gone")
	g.opts.Sync = func(string, int32) error { return crash }
	g.open()
	if err := g.k.Sweep(t.Context()); !errors.Is(err, crash) {
		t.Fatal(err)
	}
	if start, _ := g.log.Start(t.Context(), grownTopic, 0); start != 0 {
		t.Fatalf("records before %d were deleted, and their copies are not on the disk", start)
	}
	g.wantWhole()
	g.opts.Sync = whole
	g.open()
	g.sweep(3)
	g.wantWhole()
	if _, _, n := g.fold(0); n > 250 {
		t.Errorf("%d records of 100 keys are left", n)
	}
}

// While records are appended, no copy comes after a newer record of its key.
func TestWritersGoOnWhileATableIsCompacted(t *testing.T) {
	g := newGrown(t)
	g.put(0, 200, 40, time.Now())
	out, err := streams.NewProducer(t.Context(), g.opts, "test", topics.Ranks())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	last, site := 0, ""
	for n := 0; topics.Partition(site, 4) != 0; n++ {
		site = fmt.Sprint("site", n, ".test")
	}
	writing.Go(func() {
		for last == 0 || ctx.Err() == nil {
			last++
			m := &schema.Rank{RowKey: fmt.Sprint("key ", last%200), Site: site, Value: float64(last)}
			if err := out.Send(t.Context(), m); err != nil {
				t.Error(err)
				return
			}
		}
	})
	g.sweep(6)
	stop()
	writing.Wait()
	newest := map[string]float64{}
	end, _ := g.log.End(t.Context(), grownTopic, 0)
	dropped := map[string]bool{}
	if err := g.log.Scan(t.Context(), grownTopic, 0, 0, end, func(r streams.Raw) error {
		m := &schema.Rank{}
		if m.UnmarshalVT(r.Value) != nil || m.RowKey != r.Key {
			dropped[r.Key] = newest[r.Key] > 0
			return nil
		}
		dropped[r.Key] = m.Value < newest[r.Key]
		newest[r.Key] = m.Value
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for key, old := range dropped {
		if old {
			t.Errorf("%s: an older value came after %v", key, newest[key])
		}
	}
	if len(newest) == 0 {
		t.Error("nothing was appended meanwhile")
	}
}
