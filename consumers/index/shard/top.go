package shard

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/segment"
)

// Top finds the best plan.K pages and counts all that match.
func (s *Snapshot) Top(ctx context.Context, plan *rank.Plan) (top rank.Top, err error) {
	if err := plan.Validate(); err != nil {
		return top, err
	}
	err = s.search(func() error {
		top, err = s.top(ctx, plan)
		return err
	})
	return top, err
}

func (s *Snapshot) top(ctx context.Context, plan *rank.Plan) (rank.Top, error) {
	result := rank.Top{}
	if plan.Facets {
		result.Facets = rank.NewFacets()
	}
	b := s.of.columns.lendBest(plan)
	defer s.of.columns.spare.Put(b)
	for i, view := range s.segments {
		if err := s.topOf(ctx, plan, i, view, b, &result); err != nil {
			return rank.Top{}, err
		}
	}
	var err error
	result.Hits, err = s.finish(ctx, plan, b)
	return result, err
}

// topOf adds the pages of one segment.
func (s *Snapshot) topOf(ctx context.Context, plan *rank.Plan, i int, view *segmentView, b *best, result *rank.Top) error {
	if lists := view.covering(plan); lists != nil {
		return s.topOfUnion(ctx, plan, i, view, lists, b, result)
	}
	if words, ok := view.together(plan); ok {
		return s.topOfAll(ctx, plan, i, view, words, b, result)
	}
	m := matching{ctx: ctx, view: view, words: plan.Words}
	pages, err := m.pages(plan.Match)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	if pages.IsEmpty() {
		return nil
	}
	result.Total += int64(pages.GetCardinality())
	if cols := s.columns(view); plan.Facets {
		cols.facets(pages, result.Facets)
	}
	if b.k <= 0 {
		return nil
	}
	if err := view.score(ctx, plan, i, pages, b); err != nil {
		return fmt.Errorf("score: %w", err)
	}
	return nil
}

// topOfUnion is topOf for pages that have one of the words of the lists.
func (s *Snapshot) topOfUnion(ctx context.Context, plan *rank.Plan, i int, view *segmentView, lists []segment.List, b *best, result *rank.Top) error {
	if len(lists) == 0 {
		return nil
	}
	s.columns(view)
	run := scoring{ctx: ctx, view: view, segment: i, best: b, after: plan.After}
	run.open(plan)
	if b.k > 0 && run.dense() {
		n, err := run.wordByWord()
		result.Total += int64(n)
		return scored(err)
	}
	result.Total += int64(view.union(lists))
	if b.k <= 0 {
		return nil
	}
	return scored(run.maxScore())
}

// topOfAll is topOf for pages that have all of the words.
func (s *Snapshot) topOfAll(ctx context.Context, plan *rank.Plan, i int, view *segmentView, words []*wordCursor, b *best, result *rank.Top) error {
	if len(words) == 0 {
		return nil
	}
	s.columns(view)
	run := scoring{ctx: ctx, view: view, segment: i, best: b, after: plan.After, words: words, left: view.left(plan)}
	n, err := run.together()
	result.Total += int64(n)
	return scored(err)
}

func scored(err error) error {
	if err != nil {
		return fmt.Errorf("score: %w", err)
	}
	return nil
}

// finish computes the additions for the best pages, orders the hits, and completes them.
func (s *Snapshot) finish(ctx context.Context, plan *rank.Plan, b *best) ([]rank.Scored, error) {
	hits := b.list()
	if plan.Rescore > 0 && !plan.Unscored() {
		if err := s.closerLook(ctx, plan, hits); err != nil {
			return nil, fmt.Errorf("closer look: %w", err)
		}
	}
	order := byPlace
	if b.keyed {
		order = better
	}
	slices.SortFunc(hits, order)
	hits = hits[:min(plan.K, len(hits))]
	for _, h := range hits {
		if err := s.complete(plan, h); err != nil {
			return nil, fmt.Errorf("hit: %w", err)
		}
	}
	slices.SortFunc(hits, better)
	out := make([]rank.Scored, len(hits))
	for i, h := range hits {
		out[i] = *h
	}
	return out, nil
}

func better(x, y *rank.Scored) int { return rank.Best(*x, *y) }

// byPlace orders hits: the better one first; of equals the one with the smaller place in the index.
func byPlace(x, y *rank.Scored) int {
	return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.Ref.Segment, y.Ref.Segment), cmp.Compare(x.Ref.Doc, y.Ref.Doc))
}

// complete adds key, site and fingerprint to a hit, and the addends of its score if the plan asks
// for them.
func (s *Snapshot) complete(plan *rank.Plan, h *rank.Scored) error {
	v := s.segments[h.Ref.Segment]
	if h.Key == "" {
		key, err := v.snap.DocID(h.Ref.Doc)
		if err != nil {
			return err
		}
		h.Key = string(key)
	}
	h.Site, h.Near = v.cols.site.value(h.Ref.Doc), v.cols.near[h.Ref.Doc]
	if !plan.Explain {
		return nil
	}
	return v.explain(plan, h)
}

func (v *segmentView) score(ctx context.Context, plan *rank.Plan, segment int, pages *roaring.Bitmap, b *best) error {
	run := scoring{ctx: ctx, view: v, segment: segment, pages: pages, best: b, after: plan.After}
	if plan.Unscored() {
		return run.newestFirst(v)
	}
	run.open(plan)
	return run.way()()
}

// open opens the words of a plan.
func (r *scoring) open(plan *rank.Plan) {
	r.left = r.view.left(plan)
	for i := range plan.Words {
		if w := r.view.wordCursor(plan, i); w != nil {
			r.words = append(r.words, w)
		}
	}
}

// left returns the factor by which a page's score is reduced because of its links and language. It
// is at most 1, so that the bounds of the words remain upper bounds.
func (v *segmentView) left(plan *rank.Plan) func(doc uint32) float64 {
	var lists [11]float64
	for i := range lists {
		lists[i] = plan.Params.Left(10 * i)
	}
	wanted, other := v.cols.lang.number(plan.Lang), 1-plan.Params.Language
	foreign := plan.Lang != ""
	return func(doc uint32) float64 {
		left := lists[v.cols.links[doc]]
		if lang := v.cols.lang.of[doc]; foreign && lang != 0 && lang != wanted {
			left *= other
		}
		return left
	}
}

// scoring is the scoring of one segment.
type scoring struct {
	ctx     context.Context
	view    *segmentView
	segment int
	pages   *roaring.Bitmap // nil = all that have one of the words
	words   []*wordCursor
	left    func(doc uint32) float64 // nil = all
	after   *rank.After
	best    *best
	steps   int
}

// interrupted checks the context at every 4,096th page.
func (r *scoring) interrupted() error {
	if r.steps++; r.steps%4096 == 0 {
		return r.ctx.Err()
	}
	return nil
}

// offer offers a page to the best; without a set of matching pages it may be a deleted one, which
// is passed over.
func (r *scoring) offer(doc uint32, score float64) error {
	if r.pages == nil && r.view.deleted != nil && r.view.deleted.Contains(doc) {
		return nil
	}
	if r.left != nil {
		score *= r.left(doc)
	}
	hit := ranked{segment: r.segment, doc: doc, score: score}
	if r.after == nil {
		r.best.offer(hit)
		return nil
	}
	if hit.score = rounded(score); hit.score <= r.best.floor() {
		return nil
	}
	key, err := r.view.seg.KeyOf(doc)
	if err != nil {
		return err
	}
	hit.key = string(key)
	if rank.Best(rank.Scored{Score: r.after.Score, Key: r.after.Key}, rank.Scored{Score: hit.score, Key: hit.key}) < 0 {
		r.best.offer(hit)
	}
	return nil
}

// pageByPage scores every matching page, words of the greatest weight first. It stops scoring a
// page when the remaining words cannot raise it above the floor.
func (r *scoring) pageByPage() error {
	slices.SortStableFunc(r.words, func(x, y *wordCursor) int { return -compareBounds(x, y) })
	rest := make([]float64, len(r.words)+1) // rest[i]: what words[i:] can add
	for i := len(r.words) - 1; i >= 0; i-- {
		rest[i] = rest[i+1] + r.words[i].bound
	}
	for it := r.pages.Iterator(); it.HasNext(); {
		doc := it.Next()
		if err := r.interrupted(); err != nil {
			return err
		}
		most, floor := 0.0, r.best.floor()
		for i, w := range r.words {
			if most+rest[i] <= floor {
				break
			}
			if w.advance(doc); w.doc == doc {
				most += w.most()
			}
		}
		if most <= floor {
			continue
		}
		if err := r.offer(doc, r.scored(doc)); err != nil {
			return err
		}
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
