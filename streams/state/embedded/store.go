package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"millrace/schema"
	"millrace/streams/state"
)

// ErrInUse: another process (or another Store of this one) has the directory.
var ErrInUse = errors.New("data directory is in use by another process")

// Store is a state.Store in a directory.
type Store struct {
	db   *pebble.DB
	lock *pebble.Lock
	room *room

	mu     sync.RWMutex // held for reading by every call, so Close waits
	closed bool
	drops  sync.RWMutex // Drop reads before it deletes; no Write may run in between
}

var _ state.Store = (*Store)(nil)

// Open opens or creates the store in dir. On a full disk it returns the error of the disk
// (syscall.ENOSPC).
func Open(dir string, opts Options) (*Store, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	if opts.fs == nil && opts.InMemory {
		opts.fs = vfs.NewMem()
	}
	if opts.fs == nil {
		opts.fs = vfs.Default
	}
	lock, err := lockDir(dir, opts.fs)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	s, err := opened(dir, opts, lock)
	switch {
	case err != nil && isOutside(err) && !isFull(err):
		return nil, fmt.Errorf("open store %s: this user must be able to read and write all of it: %w", dir, err)
	case err != nil:
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	return s, nil
}

// opened opens Pebble. Pebble writes tables of what its log has, and does not return while they
// cannot be written: no room, no right. Then opened returns the error; what was begun ends when
// they can.
func opened(dir string, opts Options, lock *pebble.Lock) (*Store, error) {
	room := newRoom(dir, opts.fs, opts.Logger)
	opts.fs = room
	p := opts.pebble()
	p.Lock = lock
	type result struct {
		db  *pebble.DB
		err error
	}
	done := make(chan result, 1)
	go func() {
		db, err := pebble.Open(dir, p)
		done <- result{db, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, errors.Join(r.err, lock.Close())
		}
		room.open.Store(true)
		return &Store{db: r.db, lock: lock, room: room}, nil
	case err := <-room.full:
		go func() {
			if r := <-done; r.err == nil {
				_ = r.db.Close()
			}
			_ = lock.Close()
		}()
		return nil, err
	}
}

func lockDir(dir string, files vfs.FS) (*pebble.Lock, error) {
	if err := files.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock, err := pebble.LockDirectory(dir, files)
	var path *fs.PathError // the lock file cannot be created: not a lock held by another process
	if err != nil && !errors.As(err, &path) {
		return nil, fmt.Errorf("%w: %w", ErrInUse, err)
	}
	return lock, err
}

// Close waits for the calls under way, then closes the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return errors.Join(s.db.Close(), s.lock.Close())
}

// begin starts a call, unless ctx has ended or the store is closed; end ends it.
func (s *Store) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.RLock()
	if s.closed {
		s.mu.RUnlock()
		return state.ErrClosed
	}
	return nil
}

func (s *Store) end() { s.mu.RUnlock() }

// key returns the Pebble key of a row, or the prefix of the keys of all rows whose key begins with
// k.
func key(t *schema.Table, k state.Key) []byte {
	b := make([]byte, 0, 128)
	b = append(append(b, t.Name...), 0)
	return state.AppendKey(b, t, k)
}

// after returns the smallest key that does not begin with prefix. There is one, because prefixes
// begin with a table's name.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	end[len(end)-1]++
	return end
}
