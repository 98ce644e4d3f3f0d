package place

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// writeBuffer is the size of the buffer for writes to a file, in bytes.
const writeBuffer = 256 << 10

// dir is a Place in the file system.
type dir struct{ root string }

// Dir returns the place in a directory, which is created if it does not exist.
func Dir(root string) (Place, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, fmt.Errorf("directory of a tap: %w", err)
	}
	return &dir{root}, nil
}

func (d *dir) path(name string) string { return filepath.Join(d.root, filepath.FromSlash(name)) }

// String implements Place.
func (d *dir) String() string { return d.root }

// Close implements Place.
func (d *dir) Close() error { return nil }

// Spool implements Place, in the same directory, because its disk has the room. Files there lose
// their names as soon as they are open; one that has a name is of a process that was killed
// between, or loses it now.
func (d *dir) Spool() (string, error) {
	s := d.path("_millrace/spool")
	if err := os.MkdirAll(s, 0o755); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(s)
	for _, e := range entries {
		err = errors.Join(err, d.Remove(context.Background(), path.Join("_millrace/spool", e.Name())))
	}
	return s, err
}

// Write implements Place.
func (d *dir) Write(_ context.Context, name string, fn func(io.Writer) error) error {
	temp, err := d.fill(name, fn)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, d.path(name)); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return d.syncDirs(name)
}

// CreateOnce implements Place: a hard link fails if its name exists.
func (d *dir) CreateOnce(_ context.Context, name string, content []byte) error {
	temp, err := d.fill(name, func(w io.Writer) error { _, err := w.Write(content); return err })
	if err != nil {
		return err
	}
	err = os.Link(temp, d.path(name))
	removed := os.Remove(temp)
	switch {
	case errors.Is(err, fs.ErrExist):
		return errors.Join(fmt.Errorf("%s: %w", name, ErrExists), removed)
	case errors.Is(err, fs.ErrNotExist): // whoever created the name since has swept the temporary file
		if _, err := os.Stat(d.path(name)); err == nil {
			return fmt.Errorf("%s: %w", name, ErrExists)
		}
		return errors.Join(err, removed)
	case err != nil:
		return errors.Join(fmt.Errorf("the directory must allow hard links: %w", err), removed)
	}
	return errors.Join(removed, d.syncDirs(name))
}

// temporary is the end of the names of files that are written: a dot, the name that the file will
// have, a random number, and this.
const temporary = ".tmp"

// becomes returns the name that a temporary file in a folder was to have; false: it is none.
func becomes(folder, file string) (name string, ok bool) {
	rest, ok := strings.CutSuffix(file, temporary)
	dot := strings.LastIndexByte(rest, '.')
	if !ok || dot < 1 || rest[0] != '.' {
		return "", false
	}
	return folder + rest[1:dot], true
}

// Sweep implements Place.
func (d *dir) Sweep(ctx context.Context, folder string, stale func(name string) bool) error {
	entries, err := os.ReadDir(d.path(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		name, ok := becomes(folder, e.Name())
		if ok && stale(name) {
			err = errors.Join(err, d.Remove(ctx, folder+e.Name()))
		}
	}
	return err
}

// fill writes and syncs a temporary file beside the one of a name, and returns its path.
func (d *dir) fill(name string, fn func(io.Writer) error) (string, error) {
	at := d.path(name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(at), "."+filepath.Base(at)+".*"+temporary)
	if err != nil {
		return "", err
	}
	buffered := bufio.NewWriterSize(f, writeBuffer)
	if err = fn(buffered); err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("%s: %w", name, err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// syncDirs syncs the directory of a file, and those above it up to the root, so that its entry
// survives a power loss.
func (d *dir) syncDirs(name string) error {
	for at := filepath.Dir(d.path(name)); ; at = filepath.Dir(at) {
		f, err := os.Open(at)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		if at == d.root || len(at) <= len(d.root) {
			return nil
		}
	}
}

// Read implements Place.
func (d *dir) Read(_ context.Context, name string) ([]byte, error) {
	b, err := os.ReadFile(d.path(name))
	return b, missing(name, err)
}

// Open implements Place.
func (d *dir) Open(_ context.Context, name string) (Reader, int64, error) {
	f, err := os.Open(d.path(name))
	if err != nil {
		return nil, 0, missing(name, err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

func missing(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", name, ErrMissing)
	}
	return err
}

// List implements Place. Temporary files are not listed.
func (d *dir) List(_ context.Context, prefix string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(d.path(prefix), func(at string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed during the walk, or never there
			return nil
		case err != nil || e.IsDir() || strings.HasPrefix(e.Name(), "."):
			return err
		}
		rel, err := filepath.Rel(d.root, at)
		names = append(names, filepath.ToSlash(rel))
		return err
	})
	slices.Sort(names)
	return names, err
}

// Move implements Place.
func (d *dir) Move(_ context.Context, from, to string) error {
	if err := os.MkdirAll(filepath.Dir(d.path(to)), 0o755); err != nil {
		return err
	}
	err := os.Rename(d.path(from), d.path(to))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(d.path(to)); err != nil {
			return missing(to, err)
		}
	} else if err != nil {
		return err
	}
	return errors.Join(d.syncDirs(to), d.syncOne(path.Dir(from)))
}

func (d *dir) syncOne(name string) error {
	f, err := os.Open(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Remove implements Place.
func (d *dir) Remove(_ context.Context, name string) error {
	if err := os.Remove(d.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
