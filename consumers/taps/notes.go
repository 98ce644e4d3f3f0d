package taps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"millrace/consumers/taps/place"
)

// Note says that a range of a partition's records is in files, or that a writer begins. The notes
// of a partition are numbered without a gap, and each number is created only once, so they are one
// sequence however many writers there are. A writer continues where the newest note ends.
type Note struct {
	N         int64     `json:"n"`
	Topic     string    `json:"topic"`
	TopicID   string    `json:"topic_id"`
	Partition int32     `json:"partition"`
	Era       int64     `json:"era"`   // of the log: grows when it was cut or created anew
	First     int64     `json:"first"` // offsets: [first, next) are in the files of this note
	Next      int64     `json:"next"`
	Records   int64     `json:"records"`
	Files     []Written `json:"files,omitempty"`
	At        time.Time `json:"at"`
	Group     string    `json:"group"`
	By        string    `json:"by"`     // host and process
	Writer    string    `json:"writer"` // random, one for each Task

	Last *lastRecord `json:"last,omitempty"` // the newest record that was ever written
}

// Written is a file of a note.
type Written struct {
	Name    string `json:"name"`
	Records int    `json:"records"`
	Bytes   int64  `json:"bytes"`
	Staged  string `json:"staged"` // its name before the note was created
}

// FencedError says that another writer took over a partition.
type FencedError struct {
	By      Note
	TopicID string // of the log that this writer reads
}

// Denied implements streams.Denial: if the other writer reads another log, two crawls share the
// place, and this one ends.
func (e *FencedError) Denied() bool { return e.By.TopicID != e.TopicID }

// Error implements error.
func (e *FencedError) Error() string {
	if e.Denied() {
		return fmt.Sprintf("%s/%d: %s writes the records of another crawl to the same place since %s: give each crawl a place of its own (--out, --tap)",
			e.By.Topic, e.By.Partition, e.By.By, e.By.At.Format(time.RFC3339))
	}
	return fmt.Sprintf("%s/%d: its files are written by %s (group %s) since %s: two taps must not share a directory",
		e.By.Topic, e.By.Partition, e.By.By, e.By.Group, e.By.At.Format(time.RFC3339))
}

// notebook reads and writes the notes of one partition.
type notebook struct {
	place     place.Place
	topic     string
	partition int32
	keep      int
}

const notesDir = "_millrace/notes"

func (b *notebook) dir() string { return fmt.Sprintf("%s/%s/p%05d/", notesDir, b.topic, b.partition) }

func (b *notebook) name(n int64) string { return fmt.Sprintf("%s%012d.json", b.dir(), n) }

// number returns the number in a note's name; 0 if the name is no note's.
func number(name string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(path.Base(name), ".json"), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// numbers returns the numbers of the notes that exist, ascending.
func (b *notebook) numbers(ctx context.Context) ([]int64, error) {
	names, err := b.place.List(ctx, b.dir())
	var out []int64
	for _, name := range names {
		if n := number(name); n > 0 {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, err
}

// newest returns the newest note, or nil.
func (b *notebook) newest(ctx context.Context) (*Note, error) {
	for {
		ns, err := b.numbers(ctx)
		if err != nil || len(ns) == 0 {
			return nil, err
		}
		note, err := b.read(ctx, ns[len(ns)-1])
		if errors.Is(err, place.ErrMissing) { // deleted meanwhile: newer ones exist
			continue
		}
		return note, err
	}
}

func (b *notebook) read(ctx context.Context, n int64) (*Note, error) {
	raw, err := b.place.Read(ctx, b.name(n))
	if err != nil {
		return nil, err
	}
	note, err := parseNote(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: restore the file, or begin with an empty directory", b.name(n), err)
	}
	return note, nil
}

func parseNote(raw []byte) (*Note, error) {
	var note Note
	if err := json.Unmarshal(raw, &note); err != nil {
		return nil, fmt.Errorf("a note of a tap is damaged: %w", err)
	}
	if note.N < 1 || note.Next < note.First || note.First < 0 || note.Era < 1 {
		return nil, errors.New("a note of a tap is damaged: its numbers cannot be")
	}
	for _, f := range note.Files {
		if !filepath.IsLocal(f.Name) || !filepath.IsLocal(f.Staged) {
			return nil, fmt.Errorf("a note of a tap is damaged: it names %q, outside its directory", f.Name)
		}
	}
	return &note, nil
}

// write creates a note as the newest one. It returns a FencedError if another writer created its
// number, or a newer one. If the answer to the creation was lost, reading the note tells whether it
// was this writer's.
func (b *notebook) write(ctx context.Context, note *Note) error {
	raw, err := json.Marshal(note)
	if err != nil {
		return err
	}
	if err := b.place.CreateOnce(ctx, b.name(note.N), raw); err != nil {
		there, missing := b.read(ctx, note.N)
		if missing != nil {
			return errors.Join(err, missing)
		}
		if there.Writer != note.Writer {
			return &FencedError{*there, note.TopicID}
		}
	}
	// Old notes are deleted, so their numbers are free again. A writer that was paused that long
	// sees newer notes.
	ns, err := b.numbers(ctx)
	if err != nil {
		return err
	}
	if last := ns[len(ns)-1]; last > note.N {
		newer, err := b.read(ctx, last)
		if err != nil {
			return err
		}
		return &FencedError{*newer, note.TopicID}
	}
	return nil
}

// trim deletes the notes that exceed the number to keep: one, or more if writers were killed before
// they had done so.
func (b *notebook) trim(ctx context.Context, newest int64) error {
	old := newest - int64(b.keep)
	if old < 1 {
		return nil
	}
	ns, err := b.numbers(ctx)
	for _, n := range ns {
		if n <= old && err == nil {
			err = b.place.Remove(ctx, b.name(n))
		}
	}
	return err
}
