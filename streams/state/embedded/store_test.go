package embedded

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"millrace/schema"
	"millrace/streams/state"
	"millrace/streams/state/statetest"
)

// childDir is set in the environment of a test binary that plays another process.
const childDir = "MILLRACE_TEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		_, err := Open(dir, DefaultOptions())
		if err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(3)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func open(t *testing.T, dir string, opts Options) *Store {
	t.Helper()
	s, err := Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// tiny returns options with which the store flushes and compacts all the time.
func tiny() Options {
	o := DefaultOptions()
	o.CacheBytes, o.MemTableBytes = 1<<20, 1<<20
	return o
}

func TestStoreKeepsTheContract(t *testing.T) {
	statetest.Run(t, func(t *testing.T) state.Store { return open(t, t.TempDir(), tiny()) })
}

func TestEveryAcknowledgedWriteSurvivesPowerLoss(t *testing.T) {
	disk := vfs.NewCrashableMem()
	o := tiny()
	o.fs = disk
	s := open(t, "data", o)
	for i := range int64(300) {
		if err := s.Write(t.Context(), []state.Mutation{hostRow(i, i+1)}, []state.Mutation{hostRow(i+1000, i+1)}); err != nil {
			t.Fatal(err)
		}
		if i%60 != 59 {
			continue
		}
		o.fs = disk.CrashClone(vfs.CrashCloneCfg{}) // only what was synced
		after := open(t, "data", o)
		for n := range i + 1 {
			for _, row := range []int64{n, n + 1000} {
				if _, err := after.Get(t.Context(), schema.HostTable, hostRow(row, 1).Key); err != nil {
					t.Fatalf("row %d after write %d: %v", row, i, err)
				}
			}
		}
	}
}

func hostRow(n, ts int64) state.Mutation {
	return state.Mutation{Table: schema.HostTable, TS: ts, Cells: state.Cells{state.Str("st")},
		Key: state.Key{state.Num(1), state.Str("host" + state.Num(n).String())}}
}

// The result of a read must not depend on which records were compacted together.
func TestCompactionResurrectsNothing(t *testing.T) {
	s := open(t, t.TempDir(), tiny())
	partition := state.Key{state.Str("h"), state.Num(0), state.Num(0)}
	row := append(partition[:3:3], state.Num(1))
	dropped := state.Key{state.Str("h"), state.Num(0), state.Num(1)}
	inDropped := append(dropped[:3:3], state.Num(1))
	compact := func() {
		t.Helper()
		if err := errors.Join(s.db.Flush(), s.db.Compact(t.Context(), []byte{0}, []byte{0xff}, false)); err != nil {
			t.Fatal(err)
		}
	}
	write := func(key state.Key, ts int64, kill bool) {
		t.Helper()
		m := state.Mutation{Table: schema.Todo, Key: key, TS: ts, Delete: kill}
		if !kill {
			m.Cells = state.Cells{state.Str("path")}
		}
		if err := s.Write(t.Context(), []state.Mutation{m}); err != nil {
			t.Fatal(err)
		}
		compact()
	}
	write(row, 5, false)
	write(row, 7, true)
	write(row, 6, false)
	write(inDropped, 5, false)
	if err := s.Drop(t.Context(), schema.Todo, dropped, 7); err != nil {
		t.Fatal(err)
	}
	compact()
	write(inDropped, 6, false)
	for _, key := range []state.Key{row, inDropped} {
		if cells, err := s.Get(t.Context(), schema.Todo, key); !errors.Is(err, state.ErrNotFound) {
			t.Errorf("%v = %v, %v, want ErrNotFound", key, cells, err)
		}
	}
}

func TestADirectoryHasOneOwner(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, tiny())
	if _, err := Open(dir, tiny()); !errors.Is(err, ErrInUse) {
		t.Errorf("a second store of this process: %v, want ErrInUse", err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+dir)
	out, err := child.CombinedOutput()
	if err == nil || !strings.Contains(string(out), ErrInUse.Error()) {
		t.Errorf("another process: %v %q, want ErrInUse", err, out)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir, tiny())
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestAStoreOfAnotherLayoutIsRefused(t *testing.T) {
	dir := t.TempDir()
	p := tiny().pebble()
	p.Merger.Name = "millrace.row.0"
	old, err := pebble.Open(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, tiny()); err == nil {
		t.Fatal("opened a store of another layout")
	}
	if _, err := Open(dir, tiny()); errors.Is(err, ErrInUse) {
		t.Fatal("a failed Open keeps the lock")
	}
}

func TestMetricsTellWhatIsThere(t *testing.T) {
	s := open(t, t.TempDir(), tiny())
	before := s.Metrics()
	if err := s.Write(t.Context(), []state.Mutation{hostRow(1, 1)}); err != nil {
		t.Fatal(err)
	}
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), schema.HostTable, hostRow(1, 1).Key); err != nil {
		t.Fatal(err)
	}
	after := s.Metrics()
	if after.DiskBytes <= before.DiskBytes || after.CacheBytes <= before.CacheBytes || after.CacheMisses <= before.CacheMisses {
		t.Errorf("%+v after a row was written and read, %+v before", after, before)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"cache": func(o *Options) { o.CacheBytes = 0 }, "memtable": func(o *Options) { o.MemTableBytes = 1 << 40 },
		"logger": func(o *Options) { o.Logger = nil },
	} {
		o := DefaultOptions()
		change(&o)
		if _, err := Open(t.TempDir(), o); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
}

// Pebble takes the room of its memtables from its cache. With full memtables the cache must still
// hold what was just read: else each read loads a table's whole Bloom filter from the disk.
func TestFullMemtablesLeaveTheCache(t *testing.T) {
	o := DefaultOptions()
	o.CacheBytes, o.MemTableBytes = 8<<20, 4<<20
	s := open(t, t.TempDir(), o)
	const rows = 40_000
	for from := range int64(rows / 1000) {
		var group []state.Mutation
		for n := range int64(1000) {
			m := hostRow(from*1000+n, 1)
			m.Cells = state.Cells{state.Str(strings.Repeat("state", 100))}
			group = append(group, m)
		}
		if err := s.Write(t.Context(), group); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.db.Flush(), s.db.Compact(t.Context(), []byte{0}, []byte{0xff}, false)); err != nil {
		t.Fatal(err)
	}
	read := func() (misses int64) {
		before := s.Metrics().CacheMisses
		for n := int64(0); n < rows; n += rows / 20 {
			if _, err := s.Get(t.Context(), schema.HostTable, hostRow(n, 1).Key); err != nil {
				t.Fatal(err)
			}
		}
		return s.Metrics().CacheMisses - before
	}
	if read(); read() > 0 {
		t.Error("rows that were just read are not in the cache")
	}
}
