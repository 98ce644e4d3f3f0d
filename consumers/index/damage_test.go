package index

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"millrace/consumers/index/shard"
)

// notes collects the log messages of the index.
type notes struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (n *notes) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.Write(b)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.String()
}

// each calls fn with the files of a directory that have an extension.
func each(t *testing.T, dir, ext string, fn func(path string, content []byte) error) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ext {
			return err
		}
		n++
		b, err := os.ReadFile(path)
		if err == nil {
			err = fn(path, b)
		}
		return err
	})
	if err != nil || n == 0 {
		t.Fatalf("%d files %s in %s, %v", n, ext, dir, err)
	}
}

// A shard with damaged files is filled again from the log, and the log and Status report it. The
// others answer.
func TestADamagedShardIsFilledAgainByItself(t *testing.T) {
	damages := map[string]func(t *testing.T, dir string){
		"state cut": func(t *testing.T, dir string) {
			each(t, dir, ".bolt", func(f string, b []byte) error { return os.Truncate(f, int64(len(b)/3)) })
		},
		"state zeroed": func(t *testing.T, dir string) {
			each(t, dir, ".bolt", func(f string, b []byte) error { return os.WriteFile(f, make([]byte, len(b)), 0o600) })
		},
		"state garbage": func(t *testing.T, dir string) {
			each(t, dir, ".bolt", func(f string, b []byte) error {
				for i := range b {
					b[i] = byte(i * 31)
				}
				return os.WriteFile(f, b, 0o600)
			})
		},
		"pages of state garbage": func(t *testing.T, dir string) {
			each(t, dir, ".bolt", func(f string, b []byte) error {
				for i := 2 * os.Getpagesize(); i < len(b); i++ {
					b[i] = byte(i * 31)
				}
				return os.WriteFile(f, b, 0o600)
			})
		},
		"segment cut": func(t *testing.T, dir string) {
			each(t, dir, ".zap", func(f string, b []byte) error { return os.Truncate(f, int64(len(b)/2)) })
		},
		"segment empty": func(t *testing.T, dir string) {
			each(t, dir, ".zap", func(f string, _ []byte) error { return os.Truncate(f, 0) })
		},
		"segment missing": func(t *testing.T, dir string) {
			each(t, dir, ".zap", func(f string, _ []byte) error { return os.Remove(f) })
		},
		"one byte of a segment": func(t *testing.T, dir string) {
			each(t, dir, ".zap", func(f string, b []byte) error {
				b[len(b)/2] ^= 1
				return os.WriteFile(f, b, 0o600)
			})
		},
		"a strange file": func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "junk.zap"), []byte("junk"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.some(0, 60)
			s := w.open()
			stop := w.run(s)
			w.caughtUp(s)
			stop()
			s.Close()
			damage(t, s.live.path(1, 0))

			said := &notes{}
			w.deps.Logger = slog.New(slog.NewTextHandler(said, nil))
			again := w.open()
			if v, _ := again.Parts(); len(v) != partitions-1 {
				t.Errorf("%d parts answer beside the damaged one, want %d", len(v), partitions-1)
			} else {
				for _, p := range v {
					p.Release()
				}
			}
			if err := again.Ready(); err == nil {
				t.Error("ready with a damaged part")
			}
			w.run(again)
			w.caughtUp(again)
			w.isFold(again)
			if st := again.Status()[1]; st.Anew == "" || !strings.Contains(said.String(), "filled anew") {
				t.Errorf("nothing said of it: %+v, log: %s", st, said)
			}
		})
	}
}

// Other files in the directory, and a CURRENT that is no number, do no harm.
func TestStrangeFilesBesideTheShards(t *testing.T) {
	w := newWorld(t)
	w.some(0, 20)
	s := w.open()
	stop := w.run(s)
	w.caughtUp(s)
	stop()
	s.Close()
	for _, name := range []string{"x", "-1", "000002x", "000001/1.x", "000001/99999999999", "000001/1.0", "000001/lost+found"} {
		if err := os.MkdirAll(filepath.Join(w.opts.Dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(w.opts.Dir, "000001/7"), []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.opts.Dir, currentFile), []byte("\x00\xff"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := w.open()
	if n := len(found(t, again, "water")); n != 20 {
		t.Fatalf("%d pages are found", n)
	}
	w.run(again)
	w.caughtUp(again)
	w.isFold(again)
}

// A CURRENT that is no number, or names no folder, is told, with what to do. The generation that
// answered goes on to, although a rebuild that was killed left a later one.
func TestACurrentThatNamesNothingIsTold(t *testing.T) {
	for _, text := range []string{"", "\x00\xff", "-1\n", "000002 or 3\n", "000007\n"} {
		w := newWorld(t)
		w.some(0, 40)
		s := w.open()
		stop := w.run(s)
		w.caughtUp(s)
		if err := s.Rebuild(t.Context(), w.log()); err != nil {
			t.Fatal(err)
		}
		stop()
		s.Close()
		if err := os.Mkdir(filepath.Join(w.opts.Dir, "000003"), 0o755); err != nil {
			t.Fatal(err)
		}
		current := filepath.Join(w.opts.Dir, currentFile)
		if err := os.WriteFile(current, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		said := &notes{}
		w.deps.Logger = slog.New(slog.NewTextHandler(said, nil))
		again := w.open()
		if n := len(found(t, again, "water")); n != 40 {
			t.Errorf("%q: %d pages are found", text, n)
		}
		if log := said.String(); !strings.Contains(log, "level=ERROR") || !strings.Contains(log, current) || !strings.Contains(log, "generation=2") {
			t.Errorf("%q: log: %s", text, log)
		}
		again.Close()
	}
}

// After a change of options the old shards answer until the new ones are complete.
func TestOtherOptionsKeepTheOldIndexUntilTheNewOneIsComplete(t *testing.T) {
	w := newWorld(t)
	w.some(0, 40)
	s := w.open()
	stop := w.run(s)
	w.caughtUp(s)
	stop()
	s.Close()
	w.opts.Shard.Positions = false
	for range 2 { // the process may die before it has begun
		other := w.open()
		if n := len(found(t, other, "water")); n != 40 {
			t.Fatalf("the old index does not answer: %d pages", n)
		}
		if v, err := other.View(t.Context()); err != nil || len(v.Gaps) != partitions {
			t.Fatalf("gaps %v, %v", v.Gaps, err)
		} else {
			for _, sh := range v.Shards {
				sh.Release()
			}
		}
		other.Close()
	}
	other := w.open()
	done := make(chan struct{})
	var side sync.WaitGroup
	side.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if n := len(found(t, other, "water")); n < 40 {
				t.Errorf("meanwhile %d of 40 pages are found", n)
				return
			}
		}
	})
	w.run(other)
	w.some(40, 50)
	w.caughtUp(other)
	w.replaced(other)
	close(done)
	side.Wait()
	w.isFold(other)
	if n := len(found(t, other, "water")); n != 50 {
		t.Fatalf("%d pages are found", n)
	}
	if n := len(found(t, other, `"water over the mill"`)); n != 0 {
		t.Fatalf("the new index has positions: %d", n)
	}
	entries, err := os.ReadDir(other.live.dir)
	if err != nil || len(entries) != partitions {
		t.Fatalf("shards on disk: %v, %v", entries, err)
	}
}

// Documents whose records the log no longer has are copied from the old shard.
func TestOtherOptionsLoseNothingThatTheLogHasLost(t *testing.T) {
	w := newWorld(t)
	w.some(0, 60)
	w.remove("com.example.www:https/3")
	s := w.open()
	stop := w.run(s)
	w.caughtUp(s)
	stop()
	s.Close()
	w.trim(5)
	w.opts.Shard.Positions, w.opts.MaxAge = false, 0
	w.some(60, 70)
	w.remove("com.example.www:https/4")
	w.put("com.example.www:https/5", "Page five", "herons")
	other := w.open()
	w.run(other)
	w.caughtUp(other)
	w.replaced(other)
	w.isFold(other)
	if got := found(t, other, "herons"); len(got) != 1 {
		t.Fatalf("herons: %v", got)
	}
	if n := len(found(t, other, "site:www.example.com water")); n != 67 {
		t.Fatalf("%d pages are found, want 67", n)
	}
}

// A shard of another log begins anew. The old one answers, and searches report a gap, until the new
// log is read.
func TestAShardOfAnotherLogIsNotContinued(t *testing.T) {
	w := newWorld(t)
	w.some(0, 30)
	s := w.open()
	if _, err := s.Assign(0); err != nil {
		t.Fatal(err)
	}
	c := shard.Change{Offset: 1, Key: "com.example.www:https/old", Document: &shard.Document{Hash: 9}}
	if err := s.Apply(t.Context(), 0, Batch{Changes: []shard.Change{c}, Next: 2, Era: 7}); err != nil {
		t.Fatal(err)
	}
	w.run(s)
	w.caughtUp(s)
	w.replaced(s)
	w.isFold(s)
	if st := s.Status()[0]; st.Anew == "" || st.Era != 1 {
		t.Fatalf("%+v", st)
	}
}

// A shard of a partition without documents is not taken for a damaged one when the process starts
// again. (On a cluster each process said so of every empty partition that it had ever had.)
func TestAnEmptyShardIsNotDamaged(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	for p := range int32(partitions) {
		if _, err := s.Assign(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, st := range w.open().Status() {
		if st.Error != "" {
			t.Errorf("partition %d: %s", st.Partition, st.Error)
		}
	}
}
