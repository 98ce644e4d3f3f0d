package shard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/blevesearch/bleve/v2/index/scorch"
	bolt "go.etcd.io/bbolt/errors"
)

// check opens the last written state read-only, before anything can change it. It compares the
// checksum at the end of every segment file with the content, and the number of documents with the
// position. Without it scorch would silently fall back to an older state.
func (s *Shard) check() error {
	files, err := openScorch(s.dir, s.queue, func(error) {}, true)
	if err != nil {
		return err
	}
	defer func() { _ = contain(files.Close) }() // nothing was written
	epochs, err := files.RootBoltSnapshotEpochs()
	if err != nil || len(epochs) == 0 {
		return err
	}
	r, err := files.LoadSnapshot(slices.Max(epochs))
	if err != nil {
		return fmt.Errorf("%w: its last state cannot be loaded: %w", ErrDamaged, err)
	}
	defer r.Close()
	for _, segment := range r.Segments() {
		if err := checksum(segment.Segment()); err != nil {
			return err
		}
	}
	return countDocs(r)
}

// checksum compares the checksum at the end of a segment file with its content.
func checksum(segment any) error {
	file, ok := segment.(interface {
		Data() []byte
		Path() string
	})
	if !ok {
		return nil // not on disk
	}
	data := file.Data()
	at := len(data) - crc32.Size
	if at < 0 || crc32.ChecksumIEEE(data[:at]) != binary.BigEndian.Uint32(data[at:]) {
		return fmt.Errorf("%w: %s has another checksum than was written", ErrDamaged, filepath.Base(file.Path()))
	}
	return nil
}

// countDocs compares the number of documents with that in the position.
func countDocs(r *scorch.IndexSnapshot) error {
	b, err := r.GetInternal([]byte(positionKey))
	if err != nil || b == nil {
		return err
	}
	p, err := decodePosition(b)
	if err != nil {
		return err
	}
	n, err := r.DocCount()
	if err == nil && int64(n) != p.Docs {
		err = fmt.Errorf("%w: %d documents, and its position says %d", ErrDamaged, n, p.Docs)
	}
	return err
}

// contain runs fn. A panic in it, or a fault when it reads a mapped file, becomes ErrDamaged.
func contain(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, r)
		}
	}()
	return fn()
}

// judge classifies an error of opening files. An error of the operating system (a full disk, a
// missing right) stays as it is; any other means that the files are damaged.
func judge(err error) error {
	var system syscall.Errno
	if err == nil || errors.As(err, &system) || errors.Is(err, ErrOtherOptions) || errors.Is(err, ErrDamaged) || inUse(err) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// inUse reports whether another process holds the file lock.
func inUse(err error) bool { return errors.Is(err, bolt.ErrTimeout) }

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}
