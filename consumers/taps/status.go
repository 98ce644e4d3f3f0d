package taps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"millrace/consumers/taps/place"
	"millrace/streams"
)

// Status is the state of a tap: how far its files are behind the log.
type Status struct {
	Place      string            `json:"place"`
	Format     string            `json:"format"`
	Topic      string            `json:"topic"`
	Group      string            `json:"group"`
	Records    int64             `json:"records_behind"` // in the log and in no file
	Seconds    float64           `json:"seconds_behind"` // age of the oldest of them; 0 when there is none
	Partitions []PartitionStatus `json:"partitions"`
	Errors     []string          `json:"errors,omitempty"` // what could not be read
}

// PartitionStatus is the state of a tap in one partition.
type PartitionStatus struct {
	Partition int32     `json:"partition"`
	Era       int64     `json:"era"`
	Written   int64     `json:"written"`          // offsets below it are in files
	Read      int64     `json:"read,omitempty"`   // offsets below it were read by this process
	End       int64     `json:"end,omitempty"`    // of the log, if it was read
	Behind    int64     `json:"behind,omitempty"` // records between Written and End
	Seconds   float64   `json:"seconds_behind,omitempty"`
	Waiting   int64     `json:"waiting"` // records that were read and are in no file yet
	Bytes     int64     `json:"waiting_bytes"`
	Since     time.Time `json:"waiting_since,omitzero"`
	LastFile  time.Time `json:"last_file,omitzero"`
	By        string    `json:"by,omitempty"`
	Error     string    `json:"error,omitempty"` // of the last try to write files, if it failed
}

func (t *Tap) at(p int32) *PartitionStatus {
	s := t.partitions[p]
	if s == nil {
		s = &PartitionStatus{Partition: p, By: t.opts.Writer}
		t.partitions[p] = s
	}
	return s
}

func (t *Tap) began(p int32, at position) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.at(p)
	s.Era, s.Written, s.Read = at.era, at.offset, at.offset
}

func (t *Tap) failing(p int32, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at(p).Error = why
}

func (t *Tap) stands(p int32, written, read int64, open *spool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.at(p)
	s.Written, s.Read, s.Waiting, s.Bytes, s.Since = written, read, 0, 0, time.Time{}
	if open != nil {
		s.Waiting, s.Bytes, s.Since = int64(len(open.offsets)), open.size, open.began
	}
}

func (t *Tap) wrote(p int32, note *Note) {
	bytes := int64(0)
	for _, f := range note.Files {
		bytes += f.Bytes
	}
	t.count("tap_files", int64(len(note.Files)))
	t.count("tap_bytes", bytes)
	t.count("tap_records", note.Records)
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.at(p)
	s.Written, s.LastFile, s.Error = note.Next, note.At, ""
}

// end keeps why the tap does not run any more.
func (t *Tap) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = err
}

// hasEnded returns why the tap does not run any more; nil while it may.
func (t *Tap) hasEnded() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}

// Failure returns why files of this process are not written; nil: nothing failed since they last
// were.
func (t *Tap) Failure() error {
	here := t.Here()
	for _, text := range here.Errors {
		return errors.New(text)
	}
	for _, p := range here.Partitions {
		if p.Error != "" {
			return fmt.Errorf("partition %d: %s", p.Partition, p.Error)
		}
	}
	return nil
}

func (t *Tap) left(p int32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.partitions, p)
}

// Here returns the state of the tap in the partitions of this process, without reading the log.
func (t *Tap) Here() Status {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := Status{Place: t.place.String(), Format: t.format.Name(), Topic: t.group.Reads, Group: t.group.Name}
	for _, p := range slices.Sorted(maps.Keys(t.partitions)) {
		s.Partitions = append(s.Partitions, *t.partitions[p])
	}
	if t.ended != nil {
		s.Errors = append(s.Errors, t.ended.Error())
	}
	return s
}

// Compare adds where the log ends, and how far the files are behind.
func (s *Status) Compare(ctx context.Context, log *streams.Log, now time.Time) {
	ends, err := log.Ends(ctx, s.Topic)
	if err != nil {
		s.Errors = append(s.Errors, err.Error())
		return
	}
	for i := range s.Partitions {
		p := &s.Partitions[i]
		p.End = ends[p.Partition]
		if p.Written >= p.End {
			continue
		}
		n, oldest, err := waiting(ctx, log, s.Topic, p.Partition, p.Written, p.End)
		if err != nil {
			s.Errors = append(s.Errors, err.Error())
		}
		if p.Behind = n; n > 0 {
			p.Seconds = max(0, now.Sub(oldest).Seconds())
		}
		s.Records, s.Seconds = s.Records+n, max(s.Seconds, p.Seconds)
	}
}

// waiting returns how many records are between two offsets, and the time of the first. Offsets of
// transaction markers after the first record are counted too.
func waiting(ctx context.Context, log *streams.Log, topic string, p int32, from, to int64) (n int64, oldest time.Time, err error) {
	err = log.Scan(ctx, topic, p, from, to, func(r streams.Raw) error {
		n, oldest = to-max(from, r.Offset), r.Time
		return errSeen
	})
	if errors.Is(err, errSeen) {
		err = nil
	}
	return n, oldest, err
}

// Look returns the state of a tap from the notes in its place; no process of it need run.
func Look(ctx context.Context, p place.Place) (Status, error) {
	sign, err := readSign(ctx, p)
	if err != nil {
		return Status{}, err
	}
	s := Status{Place: p.String(), Format: sign.Format, Topic: sign.Topic, Group: sign.Group}
	newest, err := newestNotes(ctx, p, sign.Topic)
	for _, note := range newest {
		s.Partitions = append(s.Partitions, PartitionStatus{
			Partition: note.Partition, Era: note.Era, Written: note.Next, LastFile: note.At, By: note.By,
		})
	}
	return s, err
}

// newestNotes returns the newest note of every partition, by partition.
func newestNotes(ctx context.Context, p place.Place, topic string) ([]*Note, error) {
	names, err := p.List(ctx, notesDir+"/"+topic+"/")
	if err != nil {
		return nil, err
	}
	last := map[string]string{}
	for _, name := range names {
		if number(name) > 0 {
			last[path.Dir(name)] = name
		}
	}
	var out []*Note
	for _, name := range last {
		raw, err := p.Read(ctx, name)
		if err != nil {
			return nil, err
		}
		note, err := parseNote(raw)
		if err != nil {
			return nil, err
		}
		out = append(out, note)
	}
	slices.SortFunc(out, func(a, b *Note) int { return cmp.Compare(a.Partition, b.Partition) })
	return out, nil
}
