package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"millrace/consumers/index/shard"
	"millrace/streams"
)

func (w *world) log() Read {
	l, err := streams.NewLog(w.kafka)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(l.Close)
	return FromLog(l)
}

func dump(t *testing.T, s *Shards, partition int32) string {
	t.Helper()
	h := s.held(partition)
	snap, err := h.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	var b strings.Builder
	if err := snap.Dump(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// X1, I8: a rebuild beside the running group gives the same index, and no search ever misses a page
// meanwhile.
func TestRebuildTakesOverWithoutAGap(t *testing.T) {
	w := newWorld(t)
	w.some(0, 120)
	s := w.open()
	w.run(s)
	w.caughtUp(s)
	before := dump(t, s, 1)

	done := make(chan struct{})
	var side sync.WaitGroup
	side.Go(func() {
		for i := 120; i < 160; i++ {
			w.some(i, i+1)
		}
	})
	side.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if n := len(found(t, s, "intitle:7 OR intitle:11 OR intitle:77")); n != 3 {
				t.Errorf("a search during the rebuild found %d of 3 pages", n)
				return
			}
		}
	})
	err := s.Rebuild(t.Context(), w.log())
	close(done)
	side.Wait()
	if err != nil {
		t.Fatal(err)
	}
	w.caughtUp(s)
	w.isFold(s)
	if st := s.Status()[0]; st.Generation != 2 || st.Frozen {
		t.Fatalf("after the rebuild: %+v", st)
	}
	if b, err := os.ReadFile(filepath.Join(w.opts.Dir, currentFile)); err != nil || strings.TrimSpace(string(b)) != "000002" {
		t.Fatalf("CURRENT says %q, %v", b, err)
	}
	w.remove("com.example.www:https/7")
	w.caughtUp(s)
	if err := s.Rebuild(t.Context(), w.log()); err != nil {
		t.Fatal(err)
	}
	w.isFold(s)
	if _, err := os.Stat(filepath.Join(w.opts.Dir, "000001")); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the generation before the last is still there: %v", err)
	}
	if before == dump(t, s, 1) {
		t.Fatal("the dump does not show the new pages")
	}
}

// A process that is killed in the middle of its first rebuild, or of a later one, answers with the
// index that it had, at once and whole, when it is started again. What was filled is gone from the
// disk, and the next rebuild ends.
func TestARebuildThatIsKilledLeavesTheIndexThatAnswered(t *testing.T) {
	w := newWorld(t)
	w.some(0, 120)
	s := w.open()
	stop := w.run(s)
	w.caughtUp(s)
	stop()
	for live := 1; live <= 2; live++ {
		killed := filepath.Join(t.TempDir(), "index")
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		err := s.Rebuild(ctx, func(ctx context.Context, p int32, from, to int64, fn func(*Record) error) error {
			return w.log()(ctx, p, from, to, func(r *Record) error {
				if n++; n == 70 { // one partition is filled, another one partly: what is on the disk now stays
					cancel()
					return errors.Join(os.CopyFS(killed, os.DirFS(w.opts.Dir)), context.Canceled)
				}
				return fn(r)
			})
		})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		s.Close()
		w.opts.Dir = killed
		if _, err := os.Stat(newGeneration(killed, live+1).dir); err != nil {
			t.Fatalf("nothing was filled: %v", err)
		}
		s = w.open()
		w.isFold(s)
		if st := s.Status()[0]; st.Generation != live {
			t.Fatalf("generation %d answers, not %d", st.Generation, live)
		}
		if _, err := os.Stat(newGeneration(killed, live+1).dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("what was filled is still there: %v", err)
		}
		if err := s.Rebuild(t.Context(), w.log()); err != nil {
			t.Fatal(err)
		}
		w.isFold(s)
	}
}

func TestRebuildRefusesADifferenceUnlessItIsProved(t *testing.T) {
	w := newWorld(t)
	w.some(0, 40)
	s := w.open()
	stop := w.run(s)
	w.caughtUp(s)
	h := s.held(0)
	ghost := shard.Change{Key: "ghost", Document: &shard.Document{Hash: 5}}
	if _, err := h.Apply(t.Context(), Batch{Changes: []shard.Change{ghost}, Next: h.Offset()}); err != nil {
		t.Fatal(err)
	}
	if err := s.Rebuild(t.Context(), w.log()); !errors.Is(err, ErrDifferent) {
		t.Fatalf("rebuild of a live index with a page too many: %v", err)
	}
	if st := s.Status()[0]; st.Generation != 1 || st.Docs != int64(len(w.fold[0])+1) {
		t.Fatalf("the refused rebuild changed the live generation: %+v", st)
	}
	stop()
	s.Close()
	w.deps.Proof = w.proof
	repaired := w.open()
	if err := repaired.Rebuild(t.Context(), w.log()); err != nil {
		t.Fatal(err)
	}
	w.isFold(repaired)
}

// A shard that was left here when its partition moved away, perhaps of a log that is no more, does
// not keep the others from being made again; neither is it kept beside them.
func TestAShardThatWasLeftHereDoesNotStopARebuild(t *testing.T) {
	w := newWorld(t)
	w.some(0, 40)
	s := w.open()
	stop := w.run(s)
	w.caughtUp(s)
	stop() // gives all partitions back
	if _, err := s.Assign(0); err != nil {
		t.Fatal(err)
	}
	left := s.held(1)
	if _, err := left.Apply(t.Context(), Batch{Changes: []shard.Change{{Key: "ghost", Document: &shard.Document{Hash: 5}}}, Next: left.Offset()}); err != nil {
		t.Fatal(err)
	}
	if err := s.Rebuild(t.Context(), w.log()); err != nil {
		t.Fatal(err)
	}
	if st := s.Status(); len(st) != 1 || st[0].Partition != 0 || st[0].Generation != 2 || st[0].Docs != int64(len(w.fold[0])) {
		t.Fatalf("%+v", st)
	}
}
