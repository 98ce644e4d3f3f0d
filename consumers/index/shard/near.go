package shard

import (
	"cmp"
	"context"
	"slices"

	"millrace/consumers/index/rank"
)

// rescore adds to the hits what the nearness of pairs is worth. Positions are read for these pages only.
func (s *Snapshot) rescore(ctx context.Context, plan *rank.Plan, hits []rank.Scored) error {
	if len(plan.Pairs) == 0 || plan.Params.Nearness == 0 {
		return nil
	}
	slices.SortFunc(hits, func(x, y rank.Scored) int {
		return cmp.Or(cmp.Compare(x.Ref.Segment, y.Ref.Segment), cmp.Compare(x.Ref.Doc, y.Ref.Doc))
	})
	for from := 0; from < len(hits); {
		to := from
		for to < len(hits) && hits[to].Ref.Segment == hits[from].Ref.Segment {
			to++
		}
		if err := s.segments[hits[from].Ref.Segment].near(ctx, plan, hits[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// near rescores hits of one segment, in the order of their places.
func (v *segmentView) near(ctx context.Context, plan *rank.Plan, hits []rank.Scored) error {
	words := make([]placedWord, len(plan.Words))
	for _, p := range plan.Pairs {
		for _, i := range []int{p.First, p.Second} {
			if err := words[i].open(v, plan.Words[i]); err != nil {
				return err
			}
		}
	}
	for i := range hits {
		if err := ctx.Err(); err != nil {
			return err
		}
		for w := range words {
			if err := words[w].read(hits[i].Ref.Doc); err != nil {
				return err
			}
		}
		for _, p := range plan.Pairs {
			first, second := &words[p.First], &words[p.Second]
			n := plan.Params.TitleWeight*nearness(first.title, second.title) + nearness(first.body, second.body)
			weight := min(plan.Weights[p.First], plan.Weights[p.Second])
			hits[i].Score += plan.Params.Nearness * weight * n / (plan.Params.K1 + n)
		}
	}
	return nil
}

// nearness sums rank.Near over all occurrences of two words.
func nearness(first, second []int) float64 {
	sum, from := 0.0, 0
	for _, p := range first {
		for from < len(second) && second[from] < p-rank.MaxDistance {
			from++
		}
		for _, q := range second[from:] {
			if q > p+rank.MaxDistance {
				break
			}
			sum += rank.Near(q - p)
		}
	}
	return sum
}

// placedWord reads where a word stands on a page.
type placedWord struct {
	opened          bool
	inTitle, inBody []*cursor
	title, body     []int
}

func (w *placedWord) open(v *segmentView, word rank.Word) error {
	if w.opened {
		return nil
	}
	w.opened = true
	for _, term := range word.Terms {
		if term.Prefix {
			continue // many lists, and a single character is near everything
		}
		if err := openPlaces(v, fieldTitle, term.Name, &w.inTitle); err != nil {
			return err
		}
		if err := openPlaces(v, fieldBody, term.Name, &w.inBody); err != nil {
			return err
		}
	}
	return nil
}

func openPlaces(v *segmentView, field, name string, into *[]*cursor) error {
	l, err := v.list(field, name)
	if err != nil || l.pages.IsEmpty() {
		return err
	}
	c, err := l.cursor(true)
	*into = append(*into, c)
	return err
}

func (w *placedWord) read(doc uint64) error {
	var err error
	if w.title, err = readPlaces(w.inTitle, doc, w.title[:0]); err != nil {
		return err
	}
	w.body, err = readPlaces(w.inBody, doc, w.body[:0])
	return err
}

// readPlaces appends the positions on a page; at most one of the cursors has it.
func readPlaces(cursors []*cursor, doc uint64, into []int) ([]int, error) {
	for _, c := range cursors {
		if err := c.advance(doc); err != nil {
			return into, err
		}
		if c.doc != doc {
			continue
		}
		for _, l := range c.where {
			into = append(into, int(l.Pos()))
		}
	}
	return into, nil
}
