package shard

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"millrace/consumers/index/rank"
)

// Top finds the best plan.K pages and counts all that match.
func (s *Snapshot) Top(ctx context.Context, plan *rank.Plan) (top rank.Top, err error) {
	if err := plan.Validate(); err != nil {
		return top, err
	}
	err = s.read(func() error {
		top, err = s.top(ctx, plan)
		return err
	})
	return top, err
}

func (s *Snapshot) top(ctx context.Context, plan *rank.Plan) (rank.Top, error) {
	result := rank.Top{}
	b := best{k: plan.K}
	if plan.K > 0 && len(plan.Pairs) > 0 {
		b.k = max(plan.K, plan.Rescore)
	}
	for i, view := range s.segments {
		m := matching{ctx: ctx, view: view, words: plan.Words}
		pages, err := m.pages(plan.Match)
		if err != nil {
			return rank.Top{}, fmt.Errorf("match: %w", err)
		}
		if pages.IsEmpty() {
			continue
		}
		result.Total += int64(pages.GetCardinality())
		if b.k <= 0 {
			continue
		}
		if err := view.score(ctx, plan, i, pages, &b); err != nil {
			return rank.Top{}, fmt.Errorf("score: %w", err)
		}
	}
	if err := s.rescore(ctx, plan, b.hits); err != nil {
		return rank.Top{}, fmt.Errorf("rescore: %w", err)
	}
	hits := b.sorted()
	result.Hits = hits[:min(plan.K, len(hits))]
	if err := s.name(result.Hits); err != nil {
		return rank.Top{}, fmt.Errorf("keys: %w", err)
	}
	slices.SortFunc(result.Hits, rank.Best)
	return result, nil
}

// name reads the keys of hits.
func (s *Snapshot) name(hits []rank.Scored) error {
	for i := range hits {
		key, err := s.segments[hits[i].Ref.Segment].snap.DocID(hits[i].Ref.Doc)
		if err != nil {
			return err
		}
		hits[i].Key = string(key)
	}
	return nil
}

func (v *segmentView) score(ctx context.Context, plan *rank.Plan, segment int, pages *roaring.Bitmap, b *best) error {
	var words []*wordCursor
	postings := uint64(0)
	for i := range plan.Words {
		w, err := v.wordCursor(plan, i)
		if err != nil {
			return err
		}
		if w == nil {
			continue
		}
		words = append(words, w)
		postings += w.postings()
	}
	run := scoring{ctx: ctx, segment: segment, pages: pages, words: words, best: b}
	if plan.Unscored() {
		return run.newestFirst(v)
	}
	// Page by page costs a step for each page and word; MaxScore at most a step for each posting.
	if pages.GetCardinality()*uint64(len(words)) <= postings {
		return run.pageByPage()
	}
	return run.maxScore()
}

// scoring is the work on one segment.
type scoring struct {
	ctx     context.Context
	segment int
	pages   *roaring.Bitmap
	words   []*wordCursor
	best    *best
	steps   int
}

// interrupted looks at the context every 4,096 pages.
func (r *scoring) interrupted() error {
	if r.steps++; r.steps%4096 == 0 {
		return r.ctx.Err()
	}
	return nil
}

func (r *scoring) offer(doc uint64, score float64) {
	r.best.offer(rank.Scored{Ref: rank.Ref{Segment: r.segment, Doc: doc}, Score: score})
}

// pageByPage scores every matching page, words of the greatest weight first, and gives a page up as soon as
// the words left cannot lift it over the floor.
func (r *scoring) pageByPage() error {
	slices.SortStableFunc(r.words, func(x, y *wordCursor) int { return -compareBounds(x, y) })
	rest := make([]float64, len(r.words)+1) // rest[i]: what words[i:] can add
	for i := len(r.words) - 1; i >= 0; i-- {
		rest[i] = rest[i+1] + r.words[i].bound
	}
	for it := r.pages.Iterator(); it.HasNext(); {
		doc := uint64(it.Next())
		if err := r.interrupted(); err != nil {
			return err
		}
		score, floor := 0.0, r.best.floor()
		for i, w := range r.words {
			if score+rest[i] <= floor {
				break
			}
			if err := w.advance(doc); err != nil {
				return err
			}
			if w.doc == doc {
				score += w.score()
			}
		}
		r.offer(doc, score)
	}
	return nil
}

func compareBounds(x, y *wordCursor) int {
	switch {
	case x.bound < y.bound:
		return -1
	case x.bound > y.bound:
		return 1
	}
	return 0
}
