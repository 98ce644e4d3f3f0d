package shard

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"millrace/consumers/index/rank"
	"millrace/schema"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDir); dir != "" {
		victim(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

func openShard(t testing.TB, dir string) *Shard {
	t.Helper()
	s, err := Open(dir, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func apply(t testing.TB, s *Shard, next int64, changes ...Change) {
	t.Helper()
	if _, err := s.Apply(t.Context(), Batch{Changes: changes, Next: next}); err != nil {
		t.Fatal(err)
	}
}

func snapshot(t testing.TB, s *Shard) *Snapshot {
	t.Helper()
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { snap.Release() })
	return snap
}

// put makes an upsert; its hash depends on everything given.
func put(key, lang, title, body string) Change {
	d := &Document{Host: "www.example.com", Hash: Digest(schema.RecordHash(key, []byte(lang+"\x00"+title+"\x00"+body)))}
	d.Shown = rank.Page{URL: "https://" + key, Title: title, Text: body, Lang: lang, Site: "example.com", Date: 1714521600000 /* 2024-05-01 */}
	return Change{Key: key, Document: d}
}

func remove(key string) Change { return Change{Key: key} }

func dump(t testing.TB, s *Shard) string {
	t.Helper()
	var b strings.Builder
	if err := snapshot(t, s).Dump(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReopenedShardStandsWhereItsLastBatchEnded(t *testing.T) {
	dir := t.TempDir()
	s := openShard(t, dir)
	apply(t, s, 7, put("a", "en", "One", "first text"), put("b", "ru", "Два", "второй текст"), remove("none"))
	apply(t, s, 9, put("a", "en", "One again", "other text"), remove("b"))
	before := s.Position()
	wantDump := dump(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := openShard(t, dir)
	if p := again.Position(); p.Offset != 9 || p.Docs != 1 || p.Digest != before.Digest {
		t.Fatalf("position after reopening is %+v, was %+v", p, before)
	}
	if got := dump(t, again); got != wantDump {
		t.Fatalf("dump changed by reopening:\n%s\nwas:\n%s", got, wantDump)
	}
	p, ok, err := snapshot(t, again).Lookup(t.Context(), "a")
	if err != nil || !ok || p.Title != "One again" || p.Text != "other text" || p.URL != "https://a" {
		t.Fatalf("Lookup(a) = %+v, %t, %v", p, ok, err)
	}
}

func TestOpenRefusesOtherShapeAndSecondOwner(t *testing.T) {
	dir := t.TempDir()
	s := openShard(t, dir)
	if _, err := Open(dir, DefaultOptions()); err == nil {
		t.Fatal("a live shard was opened twice")
	}
	s.Close()
	other := DefaultOptions()
	other.Positions = false
	if _, err := Open(dir, other); !errors.Is(err, ErrOtherOptions) {
		t.Fatalf("opening with other options: %v, want ErrOtherOptions", err)
	}
	again := DefaultOptions()
	again.Workers = 1 // does not shape
	s, err := Open(dir, again)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

func TestBatchBehindTheOffsetIsRefused(t *testing.T) {
	s := openShard(t, t.TempDir())
	apply(t, s, 10, put("a", "en", "T", "x"))
	_, err := s.Apply(t.Context(), Batch{Next: 9, Changes: []Change{remove("a")}})
	if !errors.Is(err, ErrStale) || s.DocCount() != 1 {
		t.Fatalf("stale batch: %v, %d documents", err, s.DocCount())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Apply(ended, Batch{Next: 11, Changes: []Change{put("b", "en", "T", "y")}}); !errors.Is(err, context.Canceled) || s.Offset() != 10 {
		t.Fatalf("cancelled batch: %v, offset %d", err, s.Offset())
	}
	s.Close()
	if _, err := s.Apply(t.Context(), Batch{Next: 12}); !errors.Is(err, ErrClosed) {
		t.Fatalf("batch after Close: %v", err)
	}
}

// history is a random run of changes over few keys, so that replacing and deleting are common.
func history(seed uint64, n int) []Change {
	r := rand.New(rand.NewPCG(seed, 1))
	words := strings.Fields("kafka stream index river mill water stone хлеб поле 北京 大学 search the of page")
	langs := []string{"en", "ru", "zh", "de", "pl", ""}
	var changes []Change
	for range n {
		key := fmt.Sprintf("com.example:https/%d", r.IntN(60))
		if r.IntN(4) == 0 {
			changes = append(changes, remove(key))
			continue
		}
		body := make([]string, 1+r.IntN(40))
		for i := range body {
			body[i] = words[r.IntN(len(words))]
		}
		c := put(key, langs[r.IntN(len(langs))], body[0]+" "+words[r.IntN(len(words))], strings.Join(body, " "))
		c.Document.Shown.Date = int64(r.IntN(20000)) * 86400000
		changes = append(changes, c)
	}
	return changes
}

// I8: what an index holds depends on the records, not on how they were cut into batches.
func TestReplayInOtherBatchesGivesTheSameDump(t *testing.T) {
	changes := history(7, 900)
	var dumps []string
	for _, size := range []int{1000, 97, 13} {
		s := openShard(t, t.TempDir())
		for from := 0; from < len(changes); from += size {
			to := min(from+size, len(changes))
			apply(t, s, int64(to), changes[from:to]...)
		}
		dumps = append(dumps, dump(t, s))
	}
	if len(dumps[0]) < 10000 {
		t.Fatalf("dump of %d bytes cannot be right", len(dumps[0]))
	}
	for i, d := range dumps[1:] {
		if d != dumps[0] {
			t.Fatalf("dump %d differs from the first: %s", i+1, firstDifference(dumps[0], d))
		}
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d:\n%s\n%s", i, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

// A disk that fails is told, and nothing is written after it until the shard is opened again.
func TestFailedWriteStopsTheShard(t *testing.T) {
	dir := t.TempDir()
	o := DefaultOptions()
	told := make(chan error, 100)
	o.OnError = func(err error) {
		select {
		case told <- err:
		default:
		}
	}
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	apply(t, s, 1, put("a", "en", "T", "x"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(t.Context(), Batch{Changes: []Change{put("b", "en", "T", "y")}, Next: 2}); err == nil {
		t.Fatal("a batch was acknowledged that no disk has")
	}
	if <-told == nil || s.Err() == nil || s.Offset() != 1 {
		t.Fatalf("error %v, offset %d", s.Err(), s.Offset())
	}
	if _, err := s.Apply(t.Context(), Batch{Next: 3}); err == nil {
		t.Fatal("a failed shard was written to")
	}
}
