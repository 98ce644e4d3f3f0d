// Package place is where a tap keeps its files: a directory, or a bucket of an object store.
//
// Goals: a small contract, so that the rules for exactly one copy of every record are written and
// tested once, above it.
//
// How it works: names are relative paths with "/". A directory works with temporary files, fsync,
// rename and hard links. A bucket (S3 and what speaks like it, by gocloud.dev) works with objects
// that are there whole or not at all, conditional writes, and copies inside the store.
//
// Promises: what Write, CreateOnce and Move have returned from without an error is on disk and
// stays after a power loss. CreateOnce succeeds for one of any number of writers. Nobody sees a
// part of a file under its name.
//
// On failure: an error says what could not be done with which name; the same call may be repeated.
//
// Limits: the file system of a directory must have hard links and rename (all usual ones of Unix
// have; FAT and some network folders do not). An object store must honour If-None-Match: S3 and
// MinIO do; one that does not could let two writers of a partition both believe that they are the
// one. In a bucket a move shows a file under two names for a moment: the first is below _millrace/,
// which readers leave out.
package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The errors that callers ask for.
var (
	// ErrExists says that CreateOnce came second.
	ErrExists = errors.New("it exists already")
	// ErrMissing says that there is no file of a name.
	ErrMissing = errors.New("there is no such file")
)

// Place keeps files. Its methods are safe for concurrent use.
type Place interface {
	// Write makes a file of what fn writes. If fn fails there is none.
	Write(ctx context.Context, name string, fn func(io.Writer) error) error
	// CreateOnce makes a file unless there is one: then it returns ErrExists.
	CreateOnce(ctx context.Context, name string, content []byte) error
	// Read returns a file, or ErrMissing.
	Read(ctx context.Context, name string) ([]byte, error)
	// Open returns a file to read at any position, and its size in bytes, or ErrMissing.
	Open(ctx context.Context, name string) (Reader, int64, error)
	// List returns the names that begin with a prefix which ends in "/" or is empty, sorted.
	List(ctx context.Context, prefix string) ([]string, error)
	// Move gives a file another name. Repeating it changes nothing: it is done if to is there
	// and from is not. ErrMissing if neither is.
	Move(ctx context.Context, from, to string) error
	// Remove deletes a file, if there is one.
	Remove(ctx context.Context, name string) error
	// Spool is a local directory for files that live shorter than the process.
	Spool() (string, error)
	// String names the place for people, without secrets.
	String() string
	// Close releases connections.
	Close() error
}

// Reader is an open file.
type Reader interface {
	io.ReaderAt
	io.Closer
}

// Open returns the place that a user named: a directory, or a bucket of an object store.
func Open(ctx context.Context, where string) (Place, error) {
	scheme, _, isURL := strings.Cut(where, "://")
	switch {
	case scheme == "s3" && isURL:
		return openBucket(ctx, where)
	case isURL:
		return nil, fmt.Errorf("%s:// is not known: name a directory, or s3://bucket/folder", scheme)
	case where == "":
		return nil, errors.New("no directory is named")
	}
	return Dir(where)
}
