package shard

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/vellum/levenshtein"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/segment"
)

// formPages returns the pages that have the form of a word, or with Begin one that begins with it.
func (v *segmentView) formPages(w *rank.Word) *roaring.Bitmap {
	if w.Begin {
		return v.fieldPages(segment.Form, rank.Term{Name: w.Form, Prefix: true})
	}
	return v.list(segment.Form, w.Form).pages()
}

// maxLookup bounds the forms that one lookup reads from one segment.
const maxLookup = 5000

// Vocabulary returns the forms that begin with a text, or are a few letters from one, with the
// number of pages that have them; those with the most pages first. For compounds it returns stems.
func (s *Snapshot) Vocabulary(ctx context.Context, look *rank.Lookup) (forms []rank.Form, err error) {
	if err := look.Validate(); err != nil {
		return nil, err
	}
	err = s.search(func() error {
		if look.Compounds != nil {
			forms, err = s.compounds(ctx, look)
			return err
		}
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
	terms, err := lookupTerms(v.seg.Dictionary(segment.Form), look)
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
		if !terms.Next() {
			return nil
		}
		l := list{List: terms.List(), of: v}
		n := l.docs()
		if within != nil {
			n = int64(l.pages().AndCardinality(within))
		}
		if n > 0 {
			count[string(terms.Term())] += n
		}
	}
	return ctx.Err()
}

func lookupTerms(dict *segment.Dictionary, look *rank.Lookup) (segment.Terms, error) {
	if look.Begin != "" {
		return dict.Prefix(look.Begin), nil
	}
	builder, err := levenshtein.NewLevenshteinAutomatonBuilder(uint8(look.Distance), true)
	if err != nil {
		return segment.Terms{}, err
	}
	near, err := builder.BuildDfa(look.Like, uint8(look.Distance))
	if err != nil {
		return segment.Terms{}, errors.New("the word has too many letters to look for others like it")
	}
	return dict.Matching(near), nil
}
