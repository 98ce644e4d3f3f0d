package shard

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/segment"
)

// matching computes which pages of a segment fulfil a match, without deleted ones.
type matching struct {
	ctx   context.Context
	view  *segmentView
	words []rank.Word
}

// pages returns the matching pages. The bitmap may be shared: callers copy it before they change
// it.
func (m *matching) pages(match rank.Match) (*roaring.Bitmap, error) {
	if err := m.ctx.Err(); err != nil {
		return nil, err
	}
	switch match.Op {
	case rank.Every:
		return m.view.snap.DocNumbersLive(), nil
	case rank.All:
		return m.all(match.Args)
	case rank.Some:
		return m.some(match.Args)
	case rank.None:
		any, err := m.some(match.Args)
		if err != nil {
			return nil, err
		}
		return roaring.AndNot(m.view.snap.DocNumbersLive(), any), nil
	case rank.Has:
		return m.word(match.Word)
	case rank.HasForm:
		return m.form(match.Word)
	case rank.HasAddress:
		return m.wordIn(match.Word, segment.Address)
	case rank.HasAuthor:
		return m.author(match.Word)
	case rank.HasTitle:
		return m.wordIn(match.Word, segment.Title)
	case rank.Row:
		return m.rows(match.Sequences, true)
	case rank.RowTitle:
		return m.rows(match.Sequences, false)
	case rank.Host:
		return m.keyword(segment.Host, match.Value), nil
	case rank.Path:
		return m.path(match.Value), nil
	case rank.Type:
		return m.keyword(segment.Type, match.Value), nil
	case rank.Lang:
		return m.keyword(segment.Lang, match.Value), nil
	case rank.Days:
		return m.keyword(segment.Day, dayRange(match.From, match.To)...), nil
	}
	return nil, fmt.Errorf("unknown match %d", match.Op)
}

// all intersects the arguments. Negations come last: they are subtracted from the result.
func (m *matching) all(args []rank.Match) (*roaring.Bitmap, error) {
	var without []rank.Match
	result, args := m.together(args)
	if result != nil && result.IsEmpty() {
		return result, nil
	}
	for _, arg := range args {
		if arg.Op == rank.None {
			without = append(without, arg.Args...)
			continue
		}
		pages, err := m.pages(arg)
		if err != nil {
			return nil, err
		}
		if result == nil {
			result = pages
		} else {
			result = roaring.And(result, pages)
		}
		if result.IsEmpty() {
			return result, nil
		}
	}
	if result == nil {
		result = m.view.snap.DocNumbersLive()
	}
	for _, arg := range without {
		pages, err := m.pages(arg)
		if err != nil {
			return nil, err
		}
		result = roaring.AndNot(result, pages)
	}
	return result, nil
}

// together intersects the words among the arguments that have one list each, from the rarest on,
// without a set for each; it returns the other arguments too. The result is nil if there are fewer
// than two such words.
func (m *matching) together(args []rank.Match) (*roaring.Bitmap, []rank.Match) {
	var lists []*list
	var others []rank.Match
	for _, arg := range args {
		if l := m.only(arg); l != nil {
			lists = append(lists, l)
		} else {
			others = append(others, arg)
		}
	}
	if len(lists) < 2 {
		return nil, args
	}
	slices.SortFunc(lists, func(x, y *list) int { return x.Count() - y.Count() })
	docs := lists[0].Docs(make([]uint32, 0, lists[0].Count()))
	var c segment.Cursor
	for _, l := range lists[1:] {
		c.Open(&l.List)
		docs = slices.DeleteFunc(docs, func(doc uint32) bool {
			if c.Doc < doc {
				c.Advance(doc)
			}
			return c.Doc != doc
		})
	}
	pages := roaring.New()
	pages.AddMany(docs)
	if m.view.deleted != nil {
		pages.AndNot(m.view.deleted)
	}
	return pages, others
}

// only returns the list of a word that has one list in this segment, or none; nil for other
// arguments.
func (m *matching) only(arg rank.Match) *list {
	if arg.Op != rank.Has || arg.Word < 0 || arg.Word >= len(m.words) || len(m.words[arg.Word].Terms) == 0 {
		return nil
	}
	var found *list
	for _, t := range m.words[arg.Word].Terms {
		if t.Prefix {
			return nil
		}
		switch l := m.view.list(segment.Words, t.Name); {
		case found == nil || found.Count() == 0:
			found = l
		case l.Count() > 0:
			return nil
		}
	}
	return found
}

func (m *matching) some(args []rank.Match) (*roaring.Bitmap, error) {
	var parts []*roaring.Bitmap
	for _, arg := range args {
		pages, err := m.pages(arg)
		if err != nil {
			return nil, err
		}
		parts = append(parts, pages)
	}
	return or(parts), nil
}

// word returns the pages that have the word in any of the fields that are scored.
func (m *matching) word(word int) (*roaring.Bitmap, error) {
	return m.terms(word, m.view.anywhere)
}

// wordIn returns the pages that have the word in a part.
func (m *matching) wordIn(word int, part segment.Part) (*roaring.Bitmap, error) {
	return m.terms(word, func(t rank.Term) *roaring.Bitmap { return m.view.partPages(t, part) })
}

// author returns the pages that have the word in the author's name.
func (m *matching) author(word int) (*roaring.Bitmap, error) {
	return m.terms(word, func(t rank.Term) *roaring.Bitmap { return m.view.fieldPages(segment.Author, t) })
}

// terms returns the union of what pages returns for the terms of a word; of a word without terms,
// the pages that have its form.
func (m *matching) terms(word int, pages func(rank.Term) *roaring.Bitmap) (*roaring.Bitmap, error) {
	if word < 0 || word >= len(m.words) {
		return nil, fmt.Errorf("no word %d", word)
	}
	w := &m.words[word]
	if len(w.Terms) == 0 {
		return m.view.formPages(w), nil
	}
	var parts []*roaring.Bitmap
	for _, t := range w.Terms {
		if p := pages(t); !p.IsEmpty() {
			parts = append(parts, p)
		}
	}
	return or(parts), nil
}

// form returns the pages that have the word as it is written.
func (m *matching) form(word int) (*roaring.Bitmap, error) {
	if word < 0 || word >= len(m.words) {
		return nil, fmt.Errorf("no word %d", word)
	}
	return m.view.formPages(&m.words[word]), nil
}

// path returns the pages with this path or below it; with a star at its end, those whose path, or a
// folder above it, begins so.
func (m *matching) path(path string) *roaring.Bitmap {
	if prefix, ok := strings.CutSuffix(path, "*"); ok {
		return m.view.fieldPages(segment.Path, rank.Term{Name: cutText(prefix, maxPathBytes), Prefix: true})
	}
	return m.keyword(segment.Path, cutText(path, maxPathBytes))
}

// keyword returns the pages that have one of the terms in a field.
func (m *matching) keyword(field segment.Field, terms ...string) *roaring.Bitmap {
	var parts []*roaring.Bitmap
	for _, term := range terms {
		if l := m.view.list(field, term); l.Count() > 0 {
			parts = append(parts, l.pages())
		}
	}
	return or(parts)
}

func or(parts []*roaring.Bitmap) *roaring.Bitmap {
	if len(parts) == 1 {
		return parts[0]
	}
	return roaring.FastOr(parts...)
}
