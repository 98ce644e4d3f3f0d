package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// Searcher answers queries. It is safe for concurrent use.
type Searcher struct {
	opts   Options
	source Source
	normal *normalisers
}

// New returns a searcher over a source.
func New(o Options, source Source) (*Searcher, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("search options: %w", err)
	}
	return &Searcher{opts: o, source: source, normal: newNormalisers()}, nil
}

// ErrNoShard: no shard could answer.
var ErrNoShard = errors.New("no part of the index answered")

// Search answers one request.
func (s *Searcher) Search(ctx context.Context, r Request) (*Result, error) {
	started := time.Now()
	if r.Size == 0 {
		r.Size = 10
	}
	if err := s.check(r); err != nil {
		return nil, err
	}
	node, err := query.Parse(r.Query, s.opts.Limits)
	if err != nil {
		return nil, err
	}
	var result *Result
	err = s.during(ctx, func(run *run) error {
		result, err = run.answer(node, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	result.TookMS = float64(time.Since(started).Microseconds()) / 1000
	return result, nil
}

func (s *Searcher) check(r Request) error {
	switch {
	case r.Size < 0 || r.Size > s.opts.MaxSize || r.Offset < 0:
		return &query.Error{Reason: fmt.Sprintf("at most %d results can be shown at a time", s.opts.MaxSize)}
	case r.Cursor != "" && r.Offset > 0:
		return &query.Error{Reason: "a cursor says where to go on: leave out the number of results to skip"}
	case r.Offset+r.Size > s.opts.MaxDepth:
		return &query.Error{
			Reason: fmt.Sprintf("only the first %d results can be reached by number", s.opts.MaxDepth),
			Hint:   "to read all, begin with cursor=* and go on with the cursor of each answer",
		}
	}
	return nil
}

// during calls fn with a view of all shards.
func (s *Searcher) during(ctx context.Context, fn func(*run) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	view, err := s.source.View(ctx)
	if err != nil {
		return err
	}
	defer func() {
		for _, shard := range view.Shards {
			shard.Release()
		}
	}()
	return fn(newRun(ctx, s.opts, view, s.normal))
}

// run is the work for one request.
type run struct {
	ctx      context.Context
	opts     Options
	shards   []Shard // nil where one was dropped
	warnings []string
	gaps     []Gap
	normal   *normalisers
}

func newRun(ctx context.Context, o Options, v View, n *normalisers) *run {
	r := &run{ctx: ctx, opts: o, shards: slices.Clone(v.Shards), gaps: v.Gaps, normal: n}
	for _, g := range v.Gaps {
		r.warnings = append(r.warnings, g.String())
	}
	return r
}

func (r *run) answer(node query.Node, req Request) (*Result, error) {
	c := compile(node, r.analysers())
	if c.cut {
		r.warnings = append(r.warnings, fmt.Sprintf("only the first %d terms of the query were used", maxWords))
	}
	stats := r.stats(c.words)
	plan, err := r.plan(node, &c, &stats, req)
	if err != nil {
		return nil, err
	}
	found := r.top(plan)
	if found.total < r.opts.CompoundsBelow && plan.After == nil {
		if made := compounds(r, node); len(made) > 0 {
			with := compileWith(node, r.analysers(), made)
			moreStats := r.stats(with.words)
			more, err := r.plan(node, &with, &moreStats, req)
			if err != nil {
				return nil, err
			}
			if wider := r.top(more); wider.total > found.total {
				c, stats, plan, found = with, moreStats, more, wider
			}
		}
	}
	used := plan
	result := &Result{}
	if c.loose && relaxes(plan, req, found.total, r.opts.RelaxBelow) {
		plan.Match = c.relaxed
		if wider := r.top(plan); wider.total > found.total {
			found, result.Relaxed = wider, true
			if more, ok := r.feedback(plan, found); ok && plan.After == nil && !plan.Unscored() {
				found, used = r.top(more), more
			}
		}
	}
	if r.answering() == 0 {
		return nil, fmt.Errorf("%w: %v", ErrNoShard, r.warnings)
	}
	result.Total, result.Listed, result.Facets = found.total, found.total, found.facets
	if plan.After != nil {
		result.Next = next(found.hits, req, result.Relaxed, plan)
		result.Hits = r.hits(single(found.hits[:min(len(found.hits), req.Size)]), &c, plan.Weights)
	} else {
		list := r.fold(found.hits, perSite(node, req, r.opts))
		result.Listed -= int64(len(found.hits) - len(list))
		earlier, err := decodeSeen(req.Seen)
		if err != nil {
			return nil, err
		}
		from := max(0, req.Offset-len(earlier.order))
		list = earlier.without(list)
		more := len(found.hits) >= used.K && found.total > int64(len(found.hits))
		if more && from+req.Size > len(list) {
			list = append(list, earlier.without(r.further(used, found.hits))...)
			more = false
		}
		from = min(from, len(list))
		shown := list[from:min(from+req.Size, len(list))]
		if more || from+req.Size < len(list) {
			result.Seen = earlier.with(shown)
		}
		result.Hits = r.hits(shown, &c, plan.Weights)
	}
	if req.Suggest {
		result.Meant = r.meant(req.Query, &c, &stats, found.total, result.Relaxed)
	}
	result.Warnings, result.Gaps = r.warnings, r.gaps
	if other := r.answerMeant(result, req); other != nil {
		return other, nil
	}
	return result, nil
}

// relaxes reports whether pages may lack words. A walk goes on as it began.
func relaxes(plan *rank.Plan, req Request, total, below int64) bool {
	if plan.After != nil && req.Cursor != Start {
		return plan.After.Relaxed
	}
	return total < below
}

// answerMeant answers the suggested query, if the one that was asked found nothing; nil if it must
// not, or if the other finds nothing too. A query with quotes says how its words are written.
func (r *run) answerMeant(found *Result, req Request) *Result {
	if !req.Instead || found.Meant == "" || found.Total > 0 || req.Cursor != "" || strings.ContainsAny(req.Query+found.Meant, query.Quotes) {
		return nil
	}
	node, err := query.Parse(found.Meant, r.opts.Limits)
	if err != nil {
		return nil
	}
	meant := found.Meant
	req.Query, req.Suggest, req.Instead = meant, false, false
	other, err := r.answer(node, req)
	if err != nil || other.Total == 0 {
		return nil
	}
	other.Instead = meant
	return other
}

// further returns what follows the first hits. Whichever part of the list a request asks for, these
// two questions make the list, so that a hit has one place in it: with another K the closer look is
// taken at other pages, and others of equal score are found.
func (r *run) further(plan *rank.Plan, first []located) []folded {
	deeper := *plan
	deeper.K, deeper.Facets = r.opts.MaxDepth, false
	type place struct {
		shard int
		ref   rank.Ref
	}
	listed := make(map[place]bool, len(first))
	for _, h := range first {
		listed[place{h.shard, h.Ref}] = true
	}
	return single(slices.DeleteFunc(r.top(&deeper).hits, func(h located) bool { return listed[place{h.shard, h.Ref}] }))
}

// plan returns the question of the second round.
func (r *run) plan(node query.Node, c *compiled, stats *rank.Stats, req Request) (*rank.Plan, error) {
	c.strict, c.relaxed = pruned(c.strict, stats.Found), pruned(c.relaxed, stats.Found)
	c.absent = make([]bool, len(c.words))
	for i := range c.absent {
		c.absent[i] = stats.Found(i) == 0
	}
	plan := &rank.Plan{
		Words: c.words, Weights: stats.Weights(), Lengths: stats.Lengths(),
		Params: r.opts.Params.Asked(c.forms()), Match: c.strict, Pairs: c.pairs, Left: c.left,
		K: max(r.opts.MaxSize, r.opts.Window), Rescore: r.opts.Rescore / max(1, len(r.shards)),
		Newest: req.Newest, Facets: req.Facets, Explain: req.Explain, Lang: text.Guess(spoken(node)),
	}
	if text.ContainsNews(spoken(node)) {
		plan.Today = int32(query.DayOf(r.opts.Now()))
	}
	for i, scored := range c.scored {
		if !scored {
			plan.Weights[i] = 0
		}
	}
	if len(c.others) > 0 {
		plan.Own = c.typed()
		c.bound(plan.Weights)
	}
	if req.Cursor != "" {
		after, err := decodeCursor(req.Cursor, req)
		if err != nil {
			return nil, err
		}
		after.hold(plan)
		plan.After, plan.K, plan.Rescore = &rank.After{Score: after.Score, Key: after.Key, Relaxed: after.Relaxed}, req.Size+1, 0
	}
	return plan, nil
}

// spoken returns the words of a query outside of exclusions and filters.
func spoken(n query.Node) string {
	switch n := n.(type) {
	case query.Word:
		return n.Text
	case query.Phrase:
		return n.Text
	case query.And:
		return spokenOf(n)
	case query.Or:
		return spokenOf(n)
	}
	return ""
}

func spokenOf(nodes []query.Node) string {
	var all []string
	for _, n := range nodes {
		all = append(all, spoken(n))
	}
	return strings.Join(all, " ")
}

func (r *run) analysers() []text.Analyser {
	var all []text.Analyser
	for _, s := range r.shards {
		if s != nil {
			all = append(all, s.Analysers()...)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return []text.Analyser{""}
	}
	return all
}

// each asks all shards at the same time. A shard that fails is dropped with a warning. A round may
// take half of the time that is left, so that one slow shard does not use up the time of the next
// round.
func (r *run) each(ask func(ctx context.Context, i int, s Shard) error) {
	ctx := r.ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	errs := make([]error, len(r.shards))
	var asked sync.WaitGroup
	for i, s := range r.shards {
		if s != nil {
			asked.Go(func() { errs[i] = ask(ctx, i, s) })
		}
	}
	asked.Wait()
	for i, err := range errs {
		if err != nil {
			r.drop(i, err)
		}
	}
}

func (r *run) drop(i int, err error) {
	r.shards[i] = nil
	reason := err.Error()
	if errors.Is(err, context.DeadlineExceeded) {
		reason = "it did not answer in time"
	}
	r.warnings = append(r.warnings, fmt.Sprintf("a part of the index is missing from these results: %s", reason))
}

func (r *run) answering() int {
	n := 0
	for _, s := range r.shards {
		if s != nil {
			n++
		}
	}
	return n
}

// stats asks the first round and adds up the answers.
func (r *run) stats(words []rank.Word) rank.Stats {
	answers := make([]rank.Stats, len(r.shards))
	r.each(func(ctx context.Context, i int, s Shard) error {
		var err error
		answers[i], err = s.Stats(ctx, words)
		return err
	})
	sum := rank.Stats{DF: make([][]int64, len(words))}
	for i, w := range words {
		sum.DF[i] = make([]int64, len(w.Terms)+1)
	}
	for i, a := range answers {
		if r.shards[i] != nil {
			sum.Add(a)
		}
	}
	return sum
}

// located is a hit with the index of its shard.
type located struct {
	shard int
	rank.Scored
}

type merged struct {
	total  int64
	hits   []located // best first
	facets *rank.Facets
}

// top asks the second round and merges the answers.
func (r *run) top(plan *rank.Plan) merged {
	answers := make([]rank.Top, len(r.shards))
	r.each(func(ctx context.Context, i int, s Shard) error {
		var err error
		answers[i], err = s.Top(ctx, plan)
		return err
	})
	var m merged
	for i, a := range answers {
		if r.shards[i] == nil {
			continue
		}
		m.total += a.Total
		if a.Facets != nil {
			if m.facets == nil {
				m.facets = rank.NewFacets()
			}
			m.facets.Add(a.Facets)
		}
	}
	m.hits = r.merge(answers, plan.K)
	return m
}

// merge returns the best k hits of the shards, each of which gives its hits best first.
func (r *run) merge(answers []rank.Top, k int) []located {
	hits := make([]located, 0, k)
	at := make([]int, len(answers))
	for len(hits) < k {
		first := -1
		for i := range answers {
			if r.shards[i] != nil && at[i] < len(answers[i].Hits) &&
				(first < 0 || rank.Best(answers[i].Hits[at[i]], answers[first].Hits[at[first]]) < 0) {
				first = i
			}
		}
		if first < 0 {
			break
		}
		hits = append(hits, located{first, answers[first].Hits[at[first]]})
		at[first]++
	}
	return hits
}
