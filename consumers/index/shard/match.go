package shard

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"millrace/consumers/index/rank"
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
		return m.word(match.Word, fieldAddress)
	case rank.HasAuthor:
		return m.word(match.Word, fieldAuthor)
	case rank.HasTitle:
		return m.word(match.Word, fieldTitle)
	case rank.Row:
		return m.rows(match.Sequences, fieldTitle, fieldBody)
	case rank.RowTitle:
		return m.rows(match.Sequences, fieldTitle)
	case rank.Host:
		return m.keyword(fieldHost, match.Value)
	case rank.Path:
		return m.path(match.Value)
	case rank.Type:
		return m.keyword(fieldType, match.Value)
	case rank.Lang:
		return m.keyword(fieldLang, match.Value)
	case rank.Days:
		return m.keyword(fieldDay, dayRange(match.From, match.To)...)
	}
	return nil, fmt.Errorf("unknown match %d", match.Op)
}

// all intersects the arguments. Negations come last: they are subtracted from the result.
func (m *matching) all(args []rank.Match) (*roaring.Bitmap, error) {
	var result *roaring.Bitmap
	var without []rank.Match
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

// word returns the pages that have the word in one of the fields; without fields, in any.
func (m *matching) word(word int, fields ...string) (*roaring.Bitmap, error) {
	if word < 0 || word >= len(m.words) {
		return nil, fmt.Errorf("no word %d", word)
	}
	w := &m.words[word]
	if len(w.Terms) == 0 {
		return m.form(word)
	}
	var parts []*roaring.Bitmap
	for _, t := range w.Terms {
		pages, err := m.view.anywhere(t)
		if len(fields) > 0 {
			pages, err = m.view.termPages(t, fields...)
		}
		if err != nil {
			return nil, err
		}
		if !pages.IsEmpty() {
			parts = append(parts, pages)
		}
	}
	return or(parts), nil
}

// form returns the pages that have the word as it is written.
func (m *matching) form(word int) (*roaring.Bitmap, error) {
	if word < 0 || word >= len(m.words) {
		return nil, fmt.Errorf("no word %d", word)
	}
	return m.view.formPages(&m.words[word])
}

// path returns the pages with this path or below it; if there are none, the pages whose path begins
// with it.
func (m *matching) path(prefix string) (*roaring.Bitmap, error) {
	pages, err := m.keyword(fieldPath, cutText(prefix, maxPathBytes))
	if err != nil || !pages.IsEmpty() {
		return pages, err
	}
	return m.view.termPages(rank.Term{Name: cutText(prefix, maxPathBytes), Prefix: true}, fieldPath)
}

// keyword returns the pages that have one of the terms in a keyword field.
func (m *matching) keyword(field string, terms ...string) (*roaring.Bitmap, error) {
	var parts []*roaring.Bitmap
	for _, term := range terms {
		l, err := m.view.list(field, term)
		if err != nil {
			return nil, err
		}
		if !l.pages.IsEmpty() {
			parts = append(parts, l.pages)
		}
	}
	return or(parts), nil
}

func or(parts []*roaring.Bitmap) *roaring.Bitmap {
	if len(parts) == 1 {
		return parts[0]
	}
	return roaring.FastOr(parts...)
}
