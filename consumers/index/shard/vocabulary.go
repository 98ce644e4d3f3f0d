package shard

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/vellum/levenshtein"

	"millrace/consumers/index/rank"
)

// formPages returns the pages that have the form of a word, or with Begin one that begins with it.
func (v *segmentView) formPages(w *rank.Word) (*roaring.Bitmap, error) {
	if !w.Begin {
		l, err := v.list(fieldForm, w.Form)
		if err != nil {
			return nil, err
		}
		return l.pages, nil
	}
	return v.termPages(rank.Term{Name: w.Form, Prefix: true}, fieldForm)
}

// maxLookup bounds the forms that one lookup reads from one segment.
const maxLookup = 5000

// Vocabulary returns the forms that begin with a text, or are a few letters from one, with the
// number of pages that have them; those with the most pages first.
func (s *Snapshot) Vocabulary(ctx context.Context, look *rank.Lookup) (forms []rank.Form, err error) {
	if err := look.Validate(); err != nil {
		return nil, err
	}
	err = s.read(func() error {
		forms, err = s.vocabulary(ctx, look)
		return err
	})
	return forms, err
}

func (s *Snapshot) vocabulary(ctx context.Context, look *rank.Lookup) ([]rank.Form, error) {
	count := map[string]int64{}
	for _, v := range s.segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := v.lookup(ctx, look, count); err != nil {
			return nil, err
		}
	}
	forms := make([]rank.Form, 0, len(count))
	for _, name := range slices.Sorted(maps.Keys(count)) {
		forms = append(forms, rank.Form{Text: name, Docs: count[name]})
	}
	slices.SortStableFunc(forms, rank.Commoner)
	return forms[:min(len(forms), look.Limit)], nil
}

// lookup adds the forms of one segment.
func (v *segmentView) lookup(ctx context.Context, look *rank.Lookup, count map[string]int64) error {
	dict, err := v.dict(fieldForm)
	if err != nil {
		return err
	}
	keys, err := lookupIterator(dict, look)
	if err != nil {
		return err
	}
	var within *roaring.Bitmap
	if len(look.Words) > 0 {
		m := matching{ctx: ctx, view: v, words: look.Words}
		if within, err = m.pages(look.Within); err != nil || within.IsEmpty() {
			return err
		}
	}
	for range maxLookup {
		entry, err := keys.Next()
		if err != nil || entry == nil {
			return err
		}
		postings, err := dict.PostingsList([]byte(entry.Term), v.snap.Deleted(), nil)
		if err != nil {
			return err
		}
		pages := livePages(postings)
		n := pages.GetCardinality()
		if within != nil {
			n = pages.AndCardinality(within)
		}
		if n > 0 {
			count[strings.Clone(entry.Term)] += int64(n)
		}
	}
	return ctx.Err()
}

func lookupIterator(dict segment.TermDictionary, look *rank.Lookup) (segment.DictionaryIterator, error) {
	if look.Begin != "" {
		return dict.AutomatonIterator(nil, []byte(look.Begin), append([]byte(look.Begin), 0xff)), nil // 0xff is in no UTF-8
	}
	builder, err := levenshtein.NewLevenshteinAutomatonBuilder(uint8(look.Distance), true)
	if err != nil {
		return nil, err
	}
	near, err := builder.BuildDfa(look.Like, uint8(look.Distance))
	if err != nil {
		return nil, errors.New("the word has too many letters to look for others like it")
	}
	return dict.AutomatonIterator(near, nil, nil), nil
}
