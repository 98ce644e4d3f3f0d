// Package place stores the files of a tap: in a directory, or in a bucket of an object store.
//
// # Goals
//
// A small interface, so that the rules for exactly one copy of every record are written and tested
// once, in package taps.
//
// # How it works
//
// Names are relative paths with "/". A directory uses temporary files, fsync, rename and hard
// links. A bucket (S3 and compatible stores, Google Cloud Storage; by gocloud.dev) uses objects
// that appear whole or not at all, conditional writes, and copies inside the store.
//
// # Promises
//
// When Write, CreateOnce or Move returned without an error, the result is on disk and survives a
// power loss. Of any number of callers of CreateOnce one succeeds. Nobody sees a part of a file
// under its name.
//
// # On failure
//
// An error says what failed and for which name. The same call may be repeated.
//
// # Limits
//
// The file system of a directory must have hard links and rename (all usual ones of Unix have; FAT
// and some network folders do not). An object store must honour If-None-Match (S3 and MinIO do;
// Google's generation condition is the same); with one that does not, two writers of a partition
// could both believe that they are the only one. In a bucket a moved file has two names for a
// moment: the first is below _millrace/, which readers leave out.
package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The errors that callers test for.
var (
	// ErrExists says that CreateOnce found a file of that name.
	ErrExists = errors.New("it exists already")
	// ErrMissing says that there is no file of a name.
	ErrMissing = errors.New("there is no such file")
)

// Place keeps files. Its methods are safe for concurrent use.
type Place interface {
	// Write creates or replaces a file with what fn writes. If fn fails, nothing changes.
	Write(ctx context.Context, name string, fn func(io.Writer) error) error
	// CreateOnce creates a file. If there is one, it returns ErrExists.
	CreateOnce(ctx context.Context, name string, content []byte) error
	// Read returns a file, or ErrMissing.
	Read(ctx context.Context, name string) ([]byte, error)
	// Open returns a file to read at any position, and its size in bytes, or ErrMissing.
	Open(ctx context.Context, name string) (Reader, int64, error)
	// List returns the names that begin with a prefix which ends in "/" or is empty, sorted.
	List(ctx context.Context, prefix string) ([]string, error)
	// Move renames a file. It may be repeated: if only to exists, it is done. It returns ErrMissing
	// if neither exists.
	Move(ctx context.Context, from, to string) error
	// Remove deletes a file, if there is one.
	Remove(ctx context.Context, name string) error
	// Sweep deletes what writers that were killed have left in a folder, whose name ends in "/" or
	// is empty: temporary files, which List does not show. stale is asked with the name of the file
	// that each was to become; a Write or CreateOnce that still runs fails then.
	Sweep(ctx context.Context, folder string, stale func(name string) bool) error
	// Spool returns a local directory for files that the process needs only while it runs.
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
	case (scheme == "s3" || scheme == "gs") && isURL:
		return openBucket(ctx, where)
	case isURL:
		return nil, fmt.Errorf("%s:// is not known: name a directory, s3://bucket/folder or gs://bucket/folder", scheme)
	case where == "":
		return nil, errors.New("no directory is named")
	}
	return Dir(where)
}
