package taps

import (
	"io"
	"time"

	"millrace/streams"
	"millrace/topics"
)

// Record is a record on its way into files.
type Record struct {
	Topic     string
	Partition int32
	Era       int64 // of the log: see Note
	Offset    int64
	Time      time.Time // when it was appended
	Key       string
	Headers   []streams.Header
	Value     []byte         // nil if Tombstone
	Message   topics.Message // Value, decoded; nil if Tombstone
	Tombstone bool
}

// Header returns the value of the first header with a key, or "".
func (r *Record) Header(key string) string {
	for _, h := range r.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}

// Format is how records become files. Its methods are called by several goroutines.
type Format interface {
	// Name is a word for people and for the names of files.
	Name() string
	// Ext is the end of the names of its files: ".parquet".
	Ext() string
	// Wants reports whether a record has anything for the files.
	Wants(r *Record) bool
	// Part is the directory of the file that a record belongs in.
	Part(r *Record) string
	// Encode writes the records of one part of one partition, in order, as a file. The same
	// records give the same bytes. It fails only if w does or next does.
	Encode(w io.Writer, f File, next func() (*Record, error)) error
}

// File says which file is written.
type File struct {
	Name      string // relative to the directory of the tap
	Partition int32
	Records   int
	Last      time.Time // when the last record of the range was appended
}

// Day is the directory of a day, of which all formats keep their files apart: "day=2026-11-22", in
// UTC, by the time of the log.
func Day(t time.Time) string { return "day=" + t.UTC().Format(time.DateOnly) }
