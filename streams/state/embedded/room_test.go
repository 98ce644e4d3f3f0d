package embedded

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"millrace/schema"
	"millrace/streams/state"
)

// fullDisk is a file system in memory that has no room while full is set, and lets nobody make a
// file while shut is.
type fullDisk struct {
	vfs.FS
	full, shut atomic.Bool
	refused    atomic.Int64 // files that were not made
}

type fullFile struct {
	vfs.File
	disk *fullDisk
}

func (d *fullDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if d.shut.Load() {
		d.refused.Add(1)
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EACCES}
	}
	f, err := d.FS.Create(name, c)
	return fullFile{f, d}, err
}

func (d *fullDisk) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.ReuseForWrite(from, to, c)
	return fullFile{f, d}, err
}

// Write takes half of what it is given before it finds no room, as a disk does.
func (f fullFile) Write(b []byte) (int, error) {
	if !f.disk.full.Load() {
		return f.File.Write(b)
	}
	n, err := f.File.Write(b[:len(b)/2])
	return n, errors.Join(err, &fs.PathError{Op: "write", Path: "disk", Err: syscall.ENOSPC})
}

// heard is closed when the log says that writes wait.
type heard struct {
	slog.Handler
	once chan struct{}
}

func (h *heard) Enabled(context.Context, slog.Level) bool { return true }

func (h *heard) Handle(_ context.Context, r slog.Record) error {
	if r.Level == slog.LevelError {
		select {
		case h.once <- struct{}{}:
		default:
		}
	}
	return nil
}

// roomTest is a store over a disk that can be full.
func roomTest(t *testing.T, disk *fullDisk) (*Store, *heard, error) {
	t.Helper()
	h := &heard{Handler: slog.DiscardHandler, once: make(chan struct{}, 1)}
	o := DefaultOptions()
	o.CacheBytes, o.MemTableBytes, o.fs, o.Logger = 1<<20, 1<<20, disk, slog.New(h)
	s, err := Open("d", o)
	return s, h, err
}

func siteHost(host string) []state.Mutation {
	return []state.Mutation{{Table: schema.SiteHost, TS: 1, Key: state.Key{state.Str("h.test"), state.Str(host)}}}
}

// A write to a full disk waits, reads go on meanwhile, and nothing is lost when there is room.
func TestAWriteWaitsForRoom(t *testing.T) {
	disk := &fullDisk{FS: vfs.NewMem()}
	s, h, err := roomTest(t, disk)
	if err != nil {
		t.Fatal(err)
	}
	s.WaitForRoom(t.Context())
	if err := s.Write(t.Context(), siteHost("a")); err != nil {
		t.Fatal(err)
	}
	disk.full.Store(true)
	written := make(chan error, 1)
	go func() { written <- s.Write(t.Context(), siteHost("b")) }()
	<-h.once
	if rows := hostsOf(t, s); rows < 1 {
		t.Errorf("%d rows are read on a full disk", rows)
	}
	select {
	case err := <-written:
		t.Fatalf("written without room: %v", err)
	default:
	}
	disk.full.Store(false)
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, _, err = roomTest(t, disk); err != nil {
		t.Fatal(err)
	}
	if rows := hostsOf(t, s); rows != 2 {
		t.Errorf("%d rows after a restart", rows)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// What is opened on a full disk, or in a directory that may not be written, says so at once, and
// can be opened when there is room.
func TestOpeningOnAFullDiskIsAnError(t *testing.T) {
	t.Run("full", func(t *testing.T) {
		disk := &fullDisk{FS: vfs.NewMem()}
		openingFails(t, disk, &disk.full, syscall.ENOSPC)
	})
	t.Run("may not be written", func(t *testing.T) {
		disk := &fullDisk{FS: vfs.NewMem()}
		openingFails(t, disk, &disk.shut, syscall.EACCES)
		if n := disk.refused.Load(); n > 100 { // two a second; Pebble alone asks 10,000 times
			t.Errorf("a file was asked for %d times", n)
		}
	})
}

func openingFails(t *testing.T, disk *fullDisk, broken *atomic.Bool, wanted error) {
	s, _, err := roomTest(t, disk)
	if err == nil {
		err = errors.Join(s.Write(t.Context(), siteHost("a")), s.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	broken.Store(true)
	_, h, err := roomTest(t, disk)
	if !errors.Is(err, wanted) {
		t.Fatalf("opened on such a disk: %v", err)
	}
	<-h.once
	broken.Store(false)
	for { // what was begun holds the directory until it has ended
		s, _, err = roomTest(t, disk)
		if err == nil {
			break
		}
		if !errors.Is(err, ErrInUse) {
			t.Fatal(err)
		}
	}
	if rows := hostsOf(t, s); rows != 1 {
		t.Errorf("%d rows", rows)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// hostsOf returns how many rows the tests have written.
func hostsOf(t *testing.T, s *Store) int {
	t.Helper()
	rows, err := s.Slice(t.Context(), schema.SiteHost, state.Key{state.Str("h.test")}, nil, 100)
	if err != nil {
		t.Fatal(err)
	}
	return len(rows)
}
