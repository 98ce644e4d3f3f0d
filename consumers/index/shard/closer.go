package shard

import (
	"cmp"
	"context"
	"slices"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/segment"
)

// closerLook adds to the scores of the hits what is computed for the best pages only: nearness of
// words, a title that is the query, authority, freshness.
func (s *Snapshot) closerLook(ctx context.Context, plan *rank.Plan, hits []*rank.Scored) error {
	slices.SortFunc(hits, func(x, y *rank.Scored) int {
		return cmp.Or(cmp.Compare(x.Ref.Segment, y.Ref.Segment), cmp.Compare(x.Ref.Doc, y.Ref.Doc))
	})
	for from := 0; from < len(hits); {
		to := from
		for to < len(hits) && hits[to].Ref.Segment == hits[from].Ref.Segment {
			to++
		}
		look := s.segments[hits[from].Ref.Segment].look(plan, s.of.opts.Ranks)
		for i := from; i < to; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := look.at(hits[i]); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// look computes these additions for pages of one segment, in the order of their numbers.
type look struct {
	view  *segmentView
	plan  *rank.Plan
	ranks Authority
	words []placedWord
	left  func(doc uint32) float64
	whole float64 // weight of the query
	n     int     // words that have terms
}

func (v *segmentView) look(plan *rank.Plan, ranks Authority) *look {
	l := &look{view: v, plan: plan, ranks: ranks, words: make([]placedWord, len(plan.Words)), left: v.left(plan), whole: plan.Weight()}
	for i := range plan.Words {
		if plan.Weights[i] <= 0 || len(plan.Words[i].Terms) == 0 {
			continue
		}
		if i < plan.Asked() {
			l.n++
		}
		l.words[i].open(v, plan.Words[i])
	}
	return l
}

// at adds to the score of a hit.
func (l *look) at(h *rank.Scored) error {
	doc := uint32(h.Ref.Doc)
	for w := range l.words {
		l.words[w].read(doc)
	}
	added := []rank.Part{
		{Name: "words near each other", Value: l.nearness()},
		{Name: "the title is the query", Value: l.plan.Params.Titled(l.heading(doc)) * l.whole},
	}
	if l.ranks != nil && l.plan.Params.Authority > 0 {
		key, err := l.view.seg.KeyOf(doc)
		if err != nil {
			return err
		}
		h.Key = string(key)
		value := l.plan.Params.Authority * l.whole * rank.Linked(l.ranks.Authority(h.Key))
		added = append(added, rank.Part{Name: "linked from important pages", Value: value})
	}
	if l.plan.Today != 0 {
		value := l.plan.Params.Fresh * l.whole * rank.Recent(l.plan.Today-l.view.cols.day[h.Ref.Doc])
		added = append(added, rank.Part{Name: "new", Value: value})
	}
	left := l.left(doc)
	for _, p := range added {
		h.Score += left * p.Value
		if l.plan.Explain && p.Value > 0 {
			h.Parts = append(h.Parts, p)
		}
	}
	return nil
}

func (l *look) nearness() float64 {
	sum := 0.0
	if l.plan.Params.Nearness == 0 {
		return 0
	}
	for _, p := range l.plan.Pairs {
		first, second := &l.words[p.First], &l.words[p.Second]
		if first.on == nil || second.on == nil {
			continue
		}
		first.places()
		second.places()
		n := l.plan.Params.Weight[rank.Title]*nearness(first.title, second.title) + nearness(first.body, second.body)
		weight := min(l.plan.Weights[p.First], l.plan.Weights[p.Second])
		sum += l.plan.Params.Nearness * weight * n / (l.plan.Params.K1 + n)
	}
	return sum
}

// heading returns how similar title and query are: the share of the query's own words that the
// title has, times their share of the title.
func (l *look) heading(doc uint32) float64 {
	has := 0.0
	for i := range l.words[:l.plan.Asked()] {
		if l.words[i].inTitle {
			has++
		}
	}
	if has == 0 {
		return 0
	}
	length := float64(l.view.seg.Length(segment.Title, doc))
	return min(1, has/float64(l.n)) * min(1, (has+float64(l.plan.Left))/length)
}

// explain lists the addends of a hit's score. Those of closerLook are in Parts already.
func (v *segmentView) explain(plan *rank.Plan, h *rank.Scored) error {
	if plan.Unscored() {
		h.Parts = []rank.Part{{Name: "days since 1900", Value: h.Score}}
		return nil
	}
	doc := uint32(h.Ref.Doc)
	var parts []rank.Part
	for i := range plan.Words {
		w := v.wordCursor(plan, i)
		if w == nil {
			continue
		}
		if w.advance(doc); w.doc != doc {
			continue
		}
		for f, value := range w.fields() {
			if value > 0 {
				parts = append(parts, rank.Part{Name: plan.Words[i].Typed + " in " + rank.Field(f).String(), Value: value})
			}
		}
	}
	parts = append(parts, h.Parts...)
	sum := 0.0
	for _, p := range parts {
		sum += p.Value
	}
	h.Parts = append(parts, v.steppedBack(plan, doc, sum)...)
	return nil
}

// steppedBack returns what a page loses because it is mostly links, and because of its language.
func (v *segmentView) steppedBack(plan *rank.Plan, doc uint32, sum float64) (parts []rank.Part) {
	left := plan.Params.Left(10 * int(v.cols.links[doc]))
	if left < 1 {
		parts = append(parts, rank.Part{Name: "mostly links", Value: sum * (left - 1)})
	}
	if all := v.left(plan)(doc); all < left {
		parts = append(parts, rank.Part{Name: "in another language than the query", Value: sum * (all - left)})
	}
	return parts
}
