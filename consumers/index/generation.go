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

// generation is a complete index, or one that is being filled. The shard of partition p is in
// directory p. A shard that was begun anew is in p.1, then p.2 and so on; the old one answers
// searches until the new one is complete, and is removed then.
type generation struct {
	number int
	dir    string
	shards map[int32]*held
}

func newGeneration(root string, number int) *generation {
	return &generation{number, filepath.Join(root, fmt.Sprintf("%06d", number)), map[int32]*held{}}
}

// path returns the directory of a partition's shard that was begun anew n times.
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

// parsePlace parses the name of a shard's directory; false if it is none.
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

// places lists the shards on disk: for each partition the numbers n of its directories, latest
// first. Other files and directories are ignored.
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

// open opens a partition's latest shard, or creates an empty one. If the latest one was built with
// other options, a new one is begun beside it. A damaged one is set aside if mend is true; else
// open fails.
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

// setAside renames the directory of a damaged shard, and replaces one that was set aside before. It
// is never read again.
func setAside(dir string) error {
	aside := dir + ".damaged"
	return errors.Join(os.RemoveAll(aside), os.Rename(dir, aside))
}

// wasDamaged reports whether files of this shard were set aside, by this process or an earlier one.
func (h *held) wasDamaged() bool {
	_, err := os.Stat(h.dir + ".damaged")
	return err == nil
}

func (g *generation) close() error {
	var errs []error
	for p, h := range g.shards {
		errs = append(errs, h.close())
		delete(g.shards, p)
	}
	return errors.Join(errs...)
}

// currentFile is the name of the file that names the live generation.
const currentFile = "CURRENT"

// readCurrent returns the number of the live generation. Without the file it is the first one: the
// first rebuild writes the file when it has ended, so another generation is one that a process was
// filling when it was killed. If somebody removed the file and there is no first one, or if the
// file is not a number, or names no folder, guessed says so, and the generation is the one that
// likely answered: a rebuild keeps the one before (prune), so of three the last is one that was
// being filled. If the guess is wrong, what it lacks is filled from the log.
func readCurrent(root string) (number int, guessed string, err error) {
	b, err := os.ReadFile(filepath.Join(root, currentFile))
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return 0, "", err
	}
	named, bad := strconv.Atoi(strings.TrimSpace(string(b)))
	numbers, err := generations(root)
	slices.Sort(numbers)
	numbers = slices.DeleteFunc(numbers, func(n int) bool { return n < 1 })
	if bad == nil && named > 0 && (len(numbers) == 0 || slices.Contains(numbers, named)) {
		return named, "", err
	}
	number = 1
	switch n := len(numbers); {
	case missing && (n == 0 || numbers[0] == 1):
		return 1, "", err
	case n > 2:
		number = numbers[n-2]
	case n > 0:
		number = numbers[n-1]
	}
	switch {
	case missing:
		guessed = "it is missing"
	case bad == nil && named > 0:
		guessed = fmt.Sprintf("there is no folder %06d", named)
	default:
		guessed = "it is no number"
	}
	return number, guessed, err
}

// writeCurrent makes a generation the live one, atomically.
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

// generations lists the numbers of the generations on disk.
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

// clearUnfinished removes generations after the live one: those of rebuilds that were killed.
func clearUnfinished(root string, live int) error {
	numbers, err := generations(root)
	for _, n := range numbers {
		if n > live {
			err = errors.Join(err, os.RemoveAll(newGeneration(root, n).dir))
		}
	}
	return err
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
