package index

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"millrace/consumers/index/shard"
)

// Batch is a run of records of one partition.
type Batch = shard.Batch

// held is a shard with what is known of it beyond its content.
type held struct {
	*shard.Shard
	audit      *audit
	frozen     bool  // not ours any more: nobody writes
	hole       error // why what comes next does not follow what is there; assignment mends it
	difference *Difference
	proven     int64 // the last offset at which its proof held
}

// generation is a complete index, or one in the making.
type generation struct {
	number int
	dir    string
	shards map[int32]*held
}

func newGeneration(root string, number int) *generation {
	return &generation{number, filepath.Join(root, fmt.Sprintf("%06d", number)), map[int32]*held{}}
}

func (g *generation) path(partition int32) string {
	return filepath.Join(g.dir, strconv.Itoa(int(partition)))
}

// open opens a shard that is not open yet.
func (g *generation) open(partition int32, o shard.Options) (*held, error) {
	if h := g.shards[partition]; h != nil {
		return h, nil
	}
	s, err := shard.Open(g.path(partition), o)
	if err != nil {
		return nil, err
	}
	h := &held{Shard: s, audit: newAudit(s.Position())}
	g.shards[partition] = h
	return h, nil
}

// openAll opens every shard there is on disk, for searching; nobody writes to them until they are assigned.
func (g *generation) openAll(o shard.Options) error {
	entries, err := os.ReadDir(g.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		n, err := strconv.ParseInt(e.Name(), 10, 32)
		if err != nil || !e.IsDir() {
			continue
		}
		h, err := g.open(int32(n), o)
		if err != nil {
			return errors.Join(err, g.close())
		}
		h.frozen = true
	}
	return nil
}

func (g *generation) close() error {
	var errs []error
	for p, h := range g.shards {
		errs = append(errs, h.Close())
		delete(g.shards, p)
	}
	return errors.Join(errs...)
}

// currentFile names the generation that answers.
const currentFile = "CURRENT"

// readCurrent returns the number of the live generation; 1 if there is none.
func readCurrent(root string) (int, error) {
	b, err := os.ReadFile(filepath.Join(root, currentFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 1, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("index: %s says %q, which is no generation", currentFile, b)
	}
	return n, nil
}

// writeCurrent makes a generation the live one, in one step.
func writeCurrent(root string, number int) error {
	temporary := filepath.Join(root, currentFile+".new")
	f, err := os.Create(temporary)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%06d\n", number)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(temporary, filepath.Join(root, currentFile))
}

// prune removes generations other than the live one and the one before it.
func prune(root string, live int) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil || !e.IsDir() || n == live || n == live-1 {
			continue
		}
		if err := os.RemoveAll(filepath.Join(root, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
