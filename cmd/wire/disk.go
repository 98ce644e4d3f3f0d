package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"syscall"
	"time"
)

// diskLook is the time between two looks at the free space.
const diskLook = 2 * time.Second

// disk makes the frontier of `run` wait while the disk of the data directory has less free space
// than Config.KeepFree, so that what is under way still finds room. On a disk without any room the
// broker refuses records, the index opens its shards anew, and the store waits; nothing is lost,
// and all go on when there is room. A process that is told to end then, or that only looks, ends
// with an error that says so.
type disk struct {
	dir   string
	least int64 // bytes; 0: it is not looked at
	free  func(dir string) (int64, error)
	log   *slog.Logger
	waits func(context.Context) // makes writes of the store wait for room until a context ends

	low  atomic.Bool
	left atomic.Int64 // bytes, at the last look
}

func newDisk(dir string, leastMiB int, free func(string) (int64, error), log *slog.Logger) *disk {
	if free == nil {
		free = freeSpace
	}
	return &disk{dir: dir, least: int64(leastMiB) << 20, free: free, log: log}
}

// Low reports whether nothing new is to be started, and how much is free.
func (d *disk) Low() (low bool, left int64) { return d.low.Load(), d.left.Load() }

// look asks for the free space. There must be an eighth more than the least before it goes on. If
// the space is not known, nobody waits.
func (d *disk) look() {
	if d.least == 0 {
		return
	}
	left, err := d.free(d.dir)
	if err != nil {
		d.low.Store(false)
		return
	}
	was, least := d.low.Load(), d.least
	if was {
		least += least / 8
	}
	d.left.Store(left)
	if low := left < least; low != was {
		d.low.Store(low)
		d.log.Warn("free space of the disk", "dir", d.dir, "waiting", low, "free_mib", left>>20, "least_mib", d.least>>20)
	}
}

// watch looks every diskLook until ctx ends.
func (d *disk) watch(ctx context.Context) {
	tick := time.NewTicker(diskLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			d.look()
		}
	}
}

// freeSpace returns the bytes that this process may still write to the file system of a directory.
func freeSpace(dir string) (int64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}

// roomFor says what to do if a disk is full.
func roomFor(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: make room on that disk and start again; nothing is lost", err)
	}
	return err
}
