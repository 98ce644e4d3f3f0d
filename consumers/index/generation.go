package index

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"millrace/consumers/index/shard"
)

// generation is a complete index, or one that is being filled. A partition p lies in directory p.
// One that was begun anew lies in p.1, then p.2 and so on; the one before it answers searches until
// the new one has what it had, and is removed then.
type generation struct {
	number int
	dir    string
	shards map[int32]*held
}

func newGeneration(root string, number int) *generation {
	return &generation{number, filepath.Join(root, fmt.Sprintf("%06d", number)), map[int32]*held{}}
}

// path is the directory of the nth beginning of a partition.
func (g *generation) path(partition int32, n int) string {
	name := strconv.Itoa(int(partition))
	if n > 0 {
		name += "." + strconv.Itoa(n)
	}
	return filepath.Join(g.dir, name)
}

// place is the directory of a shard.
type place struct {
	partition int32
	n         int // how often it was begun anew
}

// parsePlace reads the name of a directory; false if it is none of ours.
func parsePlace(name string) (place, bool) {
	first, rest, again := strings.Cut(name, ".")
	p, err := strconv.ParseInt(first, 10, 32)
	n := 0
	if again && err == nil {
		n, err = strconv.Atoi(rest)
		again = n < 1
	}
	return place{int32(p), n}, err == nil && p >= 0 && !again
}

// places lists the shards on disk: for each partition the numbers of its beginnings, latest first.
// What else lies there is left alone.
func (g *generation) places() (map[int32][]int, error) {
	entries, err := os.ReadDir(g.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all := map[int32][]int{}
	for _, e := range entries {
		if p, ok := parsePlace(e.Name()); ok && e.IsDir() {
			all[p.partition] = append(all[p.partition], p.n)
		}
	}
	for _, list := range all {
		slices.Sort(list)
		slices.Reverse(list)
	}
	return all, nil
}

// open opens a partition's shard, or makes an empty one. If the latest one has another shape a new
// one is begun beside it. One that is damaged is set aside if mend is true; else that is the error.
func (g *generation) open(partition int32, o shard.Options, mend bool) (*held, error) {
	if h := g.shards[partition]; h != nil {
		return h, nil
	}
	all, err := g.places()
	if err != nil {
		return nil, err
	}
	h := &held{partition: partition}
	if err := h.openAt(g, all[partition], o, mend); err != nil {
		return nil, err
	}
	h.audit = newAudit(h.Position())
	g.shards[partition] = h
	return h, nil
}

// setAside renames the directory of a damaged shard, in place of one that was set aside before. It
// is never read again.
func setAside(dir string) error {
	aside := dir + ".damaged"
	return errors.Join(os.RemoveAll(aside), os.Rename(dir, aside))
}

func (g *generation) close() error {
	var errs []error
	for p, h := range g.shards {
		errs = append(errs, h.close())
		delete(g.shards, p)
	}
	return errors.Join(errs...)
}

// currentFile names the generation that answers.
const currentFile = "CURRENT"

// readCurrent returns the number of the live generation; 1 if there is none. If the file makes no
// sense, the latest generation is taken: at worst it was being filled, and the log fills it on.
func readCurrent(root string) (int, error) {
	b, err := os.ReadFile(filepath.Join(root, currentFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if n, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && n > 0 {
		return n, nil
	}
	latest := 1
	numbers, err := generations(root)
	for _, n := range numbers {
		latest = max(latest, n)
	}
	return latest, err
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

// generations lists the numbers of those on disk.
func generations(root string) ([]int, error) {
	entries, err := os.ReadDir(root)
	var out []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && e.IsDir() {
			out = append(out, n)
		}
	}
	return out, err
}

// prune removes generations other than the live one and the one before it.
func prune(root string, live int) error {
	numbers, err := generations(root)
	for _, n := range numbers {
		if n != live && n != live-1 {
			err = errors.Join(err, os.RemoveAll(newGeneration(root, n).dir))
		}
	}
	return err
}
