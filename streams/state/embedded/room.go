package embedded

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	roomLook = 500 * time.Millisecond // between two tries to write to a full disk
	roomSay  = 30 * time.Second       // between two lines of the log about it
)

// room is the file system below Pebble. Pebble ends the process when it cannot write its log, and
// tries again without a pause when it cannot write or read a table. Here a write to a full disk, or
// to a directory that may not be written, waits and goes on, for as long as a context lives
// (WaitForRoom).
type room struct {
	vfs.FS
	dir string
	log *slog.Logger

	until atomic.Pointer[context.Context] // nil: nobody waits
	full  chan error                      // while the store is being opened: the first write that could not be
	open  atomic.Bool                     // the store is open
	said  atomic.Int64                    // when the log was told, Unix nanoseconds
}

func newRoom(dir string, files vfs.FS, log *slog.Logger) *room {
	return &room{FS: files, dir: dir, log: log, full: make(chan error, 1)}
}

// WaitForRoom lets writes wait while the disk is full or may not be written, until ctx ends. Then a
// write that cannot be ends the process, as it does before the first call: Pebble cannot go on
// without it.
func (s *Store) WaitForRoom(ctx context.Context) {
	s.room.until.Store(&ctx)
}

// outside lists errors that somebody has to mend outside of the process, and that go away then.
var outside = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.EMFILE, syscall.ENFILE}

func isOutside(err error) bool {
	return slices.ContainsFunc(outside, func(e error) bool { return errors.Is(err, e) })
}

// isFull reports whether an error says that the disk is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// waits returns the line of the log for an error that makes writes wait.
func waits(err error) string {
	if isFull(err) {
		return "the disk is full: writes wait for room, nothing is lost"
	}
	return "the directory cannot be written: writes wait until it can, nothing is lost"
}

// again waits a little, if err says that the disk is full or may not be written, and reports
// whether to try again.
func (r *room) again(err error) bool {
	if !isOutside(err) {
		return false
	}
	ctx := context.Background()
	if r.open.Load() {
		p := r.until.Load()
		if p == nil {
			time.Sleep(roomLook) // Pebble tries again at once
			return false
		}
		ctx = *p
	} else {
		select {
		case r.full <- err: // see opened
		default:
		}
	}
	if now, said := time.Now().UnixNano(), r.said.Load(); now-said > int64(roomSay) && r.said.CompareAndSwap(said, now) && ctx.Err() == nil {
		r.log.Error(waits(err), "dir", r.dir, "error", err)
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(roomLook):
		return true
	}
}

// Open implements vfs.FS. What may not be read is not asked for again at once.
func (r *room) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := r.FS.Open(name, opts...)
	if err != nil && isOutside(err) {
		time.Sleep(roomLook)
	}
	return f, err
}

// file opens a file for writing and wraps it.
func (r *room) file(open func() (vfs.File, error)) (vfs.File, error) {
	f, err := open()
	for err != nil && r.again(err) {
		f, err = open()
	}
	if err != nil {
		return nil, err
	}
	return roomyFile{f, r}, nil
}

// Create implements vfs.FS.
func (r *room) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return r.file(func() (vfs.File, error) { return r.FS.Create(name, c) })
}

// OpenReadWrite implements vfs.FS.
func (r *room) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return r.file(func() (vfs.File, error) { return r.FS.OpenReadWrite(name, c, opts...) })
}

// ReuseForWrite implements vfs.FS.
func (r *room) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return r.file(func() (vfs.File, error) { return r.FS.ReuseForWrite(from, to, c) })
}

// Unwrap implements vfs.FS.
func (r *room) Unwrap() vfs.FS { return r.FS }

// roomyFile is a file whose writes wait for room.
type roomyFile struct {
	vfs.File
	room *room
}

// Write implements io.Writer. What a try has written is not written again.
func (f roomyFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	for err != nil && f.room.again(err) {
		var more int
		more, err = f.File.Write(b[n:])
		n += more
	}
	return n, err
}

// WriteAt implements io.WriterAt.
func (f roomyFile) WriteAt(b []byte, at int64) (int, error) {
	n, err := f.File.WriteAt(b, at)
	for err != nil && f.room.again(err) {
		var more int
		more, err = f.File.WriteAt(b[n:], at+int64(n))
		n += more
	}
	return n, err
}
