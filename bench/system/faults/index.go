//go:build linux

package faults

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"

	"millrace/bench/system/fold"
	"millrace/consumers/index"
)

// shard is a part of the index on the disk of a process.
type shard struct {
	docs, offset int64
	era          int64 // of the log that it was filled from: offsets of two logs do not compare
	digest       uint64
	of           string
	anew         string // why it was begun anew when it was opened here
}

// checkIndex: of each partition, the shard that got furthest in the latest log is the fold of
// docs.unique (I3).
func (c *checker) checkIndex(folds map[int32]*fold.Partition) error {
	best := map[int32]shard{}
	for _, p := range c.all {
		if err := c.shards(p.name, best); err != nil {
			return err
		}
	}
	for p, f := range folds {
		s := best[p]
		if s.docs != int64(len(f.URLs)) || s.digest != f.Digest {
			c.offend("I3: partition %d: the index of %s has %d documents, digest %x, up to %d (begun anew: %q); docs.unique folds to %d, %x, up to %d",
				p, s.of, s.docs, s.digest, s.offset, s.anew, len(f.URLs), f.Digest, f.End)
		}
	}
	return nil
}

// shards adds those of a process where they are the furthest.
func (c *checker) shards(name string, best map[int32]shard) error {
	o := index.DefaultOptions()
	o.Dir = filepath.Join(c.o.Dir, name, "index")
	if _, err := os.Stat(o.Dir); os.IsNotExist(err) {
		return nil
	} else if err != nil {
		return err
	}
	all, err := index.New(o, index.Deps{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if err := all.Open(); err != nil {
		return &fs.PathError{Op: "open", Path: o.Dir, Err: err}
	}
	for _, h := range all.Status() {
		if h.Error != "" {
			c.note("index of %s: partition %d: %s", name, h.Partition, h.Error)
		}
		b := best[h.Partition]
		if h.Digest != "" && (h.Era > b.era || h.Era == b.era && h.Offset >= b.offset) { // no digest: it cannot be opened
			digest, err := strconv.ParseUint(h.Digest, 16, 64)
			if err != nil {
				return err
			}
			best[h.Partition] = shard{h.Docs, h.Offset, h.Era, digest, name, h.Anew}
		}
	}
	return all.Close()
}
