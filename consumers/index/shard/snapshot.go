package shard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// Snapshot is an unchanging view of a shard for one query. It is not safe for concurrent use;
// Release it.
type Snapshot struct {
	of       *Shard
	reader   *scorch.IndexSnapshot
	position Position
	segments []*segmentView
}

// Snapshot takes a view of the shard after its last batch.
func (s *Shard) Snapshot() (*Snapshot, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, ErrClosed
	}
	reader, err := s.reader()
	if err != nil {
		return nil, err
	}
	snap := &Snapshot{of: s, reader: reader}
	if snap.position, err = positionOf(reader); err != nil {
		reader.Close()
		return nil, err
	}
	for _, segment := range reader.Segments() {
		snap.segments = append(snap.segments, newSegmentView(segment))
	}
	return snap, nil
}

func positionOf(reader *scorch.IndexSnapshot) (Position, error) {
	b, err := reader.GetInternal([]byte(positionKey))
	if err != nil {
		return Position{}, err
	}
	return decodePosition(b)
}

// Release frees the view.
func (s *Snapshot) Release() error { return s.reader.Close() }

// Position returns the position of the shard when the view was taken.
func (s *Snapshot) Position() Position { return s.position.clone() }

// Analysers lists the analysers that have documents here.
func (s *Snapshot) Analysers() []text.Analyser {
	var all []text.Analyser
	for a := range s.position.Totals {
		all = append(all, a)
	}
	return all
}

// read runs fn, which reads the files. If they turn out to be damaged, the shard has failed.
func (s *Snapshot) read(fn func() error) error {
	err := contain(fn)
	if errors.Is(err, ErrDamaged) {
		s.of.failed(err)
	}
	return err
}

// search is read for what older formats of segments do not have.
func (s *Snapshot) search(fn func() error) error {
	if !s.of.Searchable() {
		return errFormat
	}
	return s.read(fn)
}

// Bytes says how many bytes of the segments' files each of their structures takes, by name.
func (s *Snapshot) Bytes() map[string]int64 {
	all := map[string]int64{}
	for _, v := range s.segments {
		if v.seg == nil {
			continue
		}
		for name, n := range v.seg.Bytes() {
			all[name] += n
		}
	}
	return all
}

// Stats counts the pages of each term of the words.
func (s *Snapshot) Stats(ctx context.Context, words []rank.Word) (stats rank.Stats, err error) {
	err = s.search(func() error {
		stats, err = s.stats(ctx, words)
		return err
	})
	return stats, err
}

func (s *Snapshot) stats(ctx context.Context, words []rank.Word) (rank.Stats, error) {
	stats := rank.Stats{Totals: s.position.clone().Totals, DF: make([][]int64, len(words))}
	for i := range words {
		stats.DF[i] = make([]int64, len(words[i].Terms)+1)
		for _, segment := range s.segments {
			if err := ctx.Err(); err != nil {
				return rank.Stats{}, err
			}
			segment.frequencies(&words[i], stats.DF[i])
		}
	}
	return stats, nil
}

// Page reads a page as a result shows it.
func (s *Snapshot) Page(ctx context.Context, ref rank.Ref) (rank.Page, error) {
	if err := ctx.Err(); err != nil {
		return rank.Page{}, err
	}
	if ref.Segment < 0 || ref.Segment >= len(s.segments) {
		return rank.Page{}, fmt.Errorf("no segment %d", ref.Segment)
	}
	if n := s.segments[ref.Segment].snap.Segment().Count(); ref.Doc >= n {
		return rank.Page{}, fmt.Errorf("no document %d in a segment of %d", ref.Doc, n)
	}
	var p rank.Page
	err := s.read(func() (err error) {
		p, err = readPage(s.segments[ref.Segment].snap, ref.Doc)
		return err
	})
	return p, err
}

func readPage(segment *scorch.SegmentSnapshot, doc uint64) (rank.Page, error) {
	p, _, err := readStored(segment, doc)
	return p, err
}

// readStored reads all stored fields of a document.
func readStored(segment *scorch.SegmentSnapshot, doc uint64) (p rank.Page, stored storedPage, err error) {
	var damaged error
	err = segment.VisitDocument(doc, func(name string, _ byte, value []byte, _ []uint64) bool {
		switch name {
		case storedKey:
			p.Key = string(value)
		case storedTitle:
			p.Title = string(value)
		case storedBody:
			p.Text = string(value)
		case storedInfo:
			damaged = json.Unmarshal(value, &stored)
		}
		return true
	})
	if err == nil {
		err = damaged
	}
	if err != nil {
		return rank.Page{}, stored, fmt.Errorf("stored page: %w", err)
	}
	p.URL, p.Site, p.Lang, p.Author, p.Type = stored.URL, stored.Site, stored.Lang, stored.Author, stored.Type
	p.PublishedAt, p.FetchedAt, p.Date, p.NoSnippet = stored.PublishedAt, stored.FetchedAt, stored.Date, stored.NoSnippet
	p.NoArchive, p.PageStarts = stored.NoArchive, stored.PageStarts
	return p, stored, nil
}

// Lookup reads the document of a row key; false if there is none.
func (s *Snapshot) Lookup(ctx context.Context, key string) (p rank.Page, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return p, false, err
	}
	err = s.read(func() error {
		p, ok, err = s.lookup(key)
		return err
	})
	return p, ok, err
}

func (s *Snapshot) lookup(key string) (rank.Page, bool, error) {
	for _, segment := range s.segments {
		docs, err := segment.snap.DocNumbers([]string{key})
		if err != nil {
			return rank.Page{}, false, err
		}
		if !docs.IsEmpty() {
			p, err := readPage(segment.snap, uint64(docs.Minimum()))
			return p, err == nil, err
		}
	}
	return rank.Page{}, false, nil
}
