package embedded

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// memTables is how many memtables there may be at most: one is written to, one waits for the disk.
const memTables = 2

// Options bound the memory of the store.
type Options struct {
	CacheBytes    int64 // blocks of tables, decompressed
	MemTableBytes int64 // writes not yet in a table; up to two of them
	Logger        *slog.Logger
	InMemory      bool // nothing is written to disk: for tests and simulations

	fs vfs.FS // tests: a file system that can lose what was not synced
}

// DefaultOptions returns 64 MiB of cache and memtables of 32 MiB, of which there are up to two.
func DefaultOptions() Options {
	return Options{CacheBytes: 64 << 20, MemTableBytes: 32 << 20, Logger: slog.New(slog.DiscardHandler)}
}

// Validate reports the first option that cannot work.
func (o Options) Validate() error {
	switch {
	case o.CacheBytes < 1<<20:
		return fmt.Errorf("cache of %d bytes: at least 1 MiB", o.CacheBytes)
	case o.MemTableBytes < 1<<20 || o.MemTableBytes > 1<<30:
		return fmt.Errorf("memtable of %d bytes: 1 MiB to 1 GiB", o.MemTableBytes)
	case o.Logger == nil:
		return errors.New("no logger")
	}
	return nil
}

// pebble returns Pebble's options, chosen by measurement: blocks of 16 KiB with snappy, and Bloom
// filters on every level (reads use the lowest level's too, see Store.reader). Pebble takes the
// room of its memtables from its cache: without memtables added here, two full ones would leave no
// cache at all, and each read would load its Bloom filter from disk.
func (o Options) pebble() *pebble.Options {
	p := &pebble.Options{
		FS:           o.fs,
		CacheSize:    o.CacheBytes + memTables*o.MemTableBytes,
		MemTableSize: uint64(o.MemTableBytes),

		MemTableStopWritesThreshold: memTables,

		FormatMajorVersion: pebble.FormatNewest,
		Merger:             merger(),
		Logger:             logger{o.Logger},
		EventListener:      &pebble.EventListener{},
	}
	for i := range p.Levels {
		p.Levels[i].BlockSize = 16 << 10
		p.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		p.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.SnappyCompression }
	}
	return p
}

// logger passes Pebble's errors on, and its informational messages at level debug.
type logger struct{ log *slog.Logger }

func (l logger) Infof(format string, args ...any) {
	l.log.Debug("pebble", "message", fmt.Sprintf(format, args...))
}

func (l logger) Errorf(format string, args ...any) {
	l.log.Error("pebble", "message", fmt.Sprintf(format, args...))
}

// Fatalf is called when a write failed half-way. Pebble cannot go on and requires that Fatalf does
// not return: it ends the process with status 1.
func (l logger) Fatalf(format string, args ...any) {
	said := fmt.Sprintf(format, args...)
	if strings.Contains(said, syscall.ENOSPC.Error()) {
		l.log.Error("the disk is full, the process ends: make room and start again; nothing is lost", "message", said)
	} else {
		l.log.Error("pebble cannot write, process ends", "message", said)
	}
	os.Exit(1)
}
