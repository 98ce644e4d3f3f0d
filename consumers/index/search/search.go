package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
}

// New returns a searcher over a source.
func New(o Options, source Source) (*Searcher, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("search options: %w", err)
	}
	return &Searcher{opts: o, source: source}, nil
}

// ErrNoShard: no shard could answer.
var ErrNoShard = errors.New("no part of the index answered")

// Search answers one request.
func (s *Searcher) Search(ctx context.Context, r Request) (*Result, error) {
	started := time.Now()
	if r.Size == 0 {
		r.Size = 10
	}
	if r.Size < 0 || r.Size > s.opts.MaxSize || r.Offset < 0 || r.Offset+r.Size > s.opts.MaxDepth {
		return nil, &query.Error{Reason: fmt.Sprintf("only the first %d results can be shown, %d at a time", s.opts.MaxDepth, s.opts.MaxSize)}
	}
	node, err := query.Parse(r.Query, s.opts.Limits)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	view, err := s.source.View(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, shard := range view.Shards {
			shard.Release()
		}
	}()
	run := newRun(ctx, s.opts, view)
	result, err := run.answer(node, r)
	if err != nil {
		return nil, err
	}
	result.TookMS = float64(time.Since(started).Microseconds()) / 1000
	return result, nil
}

// run is the work on one request.
type run struct {
	ctx      context.Context
	opts     Options
	shards   []Shard // nil where one dropped out
	warnings []string
	gaps     []Gap
}

func newRun(ctx context.Context, o Options, v View) *run {
	r := &run{ctx: ctx, opts: o, shards: slices.Clone(v.Shards), gaps: v.Gaps}
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
	plan := &rank.Plan{
		Words: c.words, Weights: stats.Weights(), Lengths: stats.Lengths(),
		Params: r.opts.Params, Match: c.strict, Pairs: c.pairs,
		K: req.Offset + req.Size, Rescore: r.opts.Rescore / max(1, len(r.shards)),
	}
	for i, scored := range c.scored {
		if !scored {
			plan.Weights[i] = 0
		}
	}
	merged := r.top(plan)
	result := &Result{}
	if c.loose && merged.total < r.opts.RelaxBelow {
		plan.Match = c.relaxed
		if wider := r.top(plan); wider.total > merged.total {
			merged, result.Relaxed = wider, true
		}
	}
	if r.answering() == 0 {
		return nil, fmt.Errorf("%w: %v", ErrNoShard, r.warnings)
	}
	result.Total = merged.total
	result.Hits = r.hits(merged.window(req), &c, plan.Weights)
	result.Warnings, result.Gaps = r.warnings, r.gaps
	return result, nil
}

func (r *run) analysers() []text.Analyser {
	var all []text.Analyser
	for _, s := range r.shards {
		all = append(all, s.Analysers()...)
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return []text.Analyser{""}
	}
	return all
}

// each asks all shards at once. A shard that fails drops out with a warning. A round may take half of the time
// that is left, so that one slow shard does not use up the time of the others' next round.
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

// stats is the first round.
func (r *run) stats(words []rank.Word) rank.Stats {
	answers := make([]rank.Stats, len(r.shards))
	r.each(func(ctx context.Context, i int, s Shard) error {
		var err error
		answers[i], err = s.Stats(ctx, words)
		return err
	})
	sum := rank.Stats{DF: make([][]int64, len(words))}
	for i, w := range words {
		sum.DF[i] = make([]int64, len(w.Terms))
	}
	for i, a := range answers {
		if r.shards[i] != nil {
			sum.Add(a)
		}
	}
	return sum
}

// located is a hit with the shard it lies in.
type located struct {
	shard int
	rank.Scored
}

type merged struct {
	total int64
	hits  []located
}

// window cuts out the hits of a request.
func (m merged) window(r Request) []located {
	from := min(r.Offset, len(m.hits))
	return m.hits[from:min(from+r.Size, len(m.hits))]
}

// top is the second round.
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
		for _, hit := range a.Hits {
			m.hits = append(m.hits, located{i, hit})
		}
	}
	slices.SortFunc(m.hits, func(x, y located) int { return rank.Best(x.Scored, y.Scored) })
	return m
}

// hits reads the pages that are shown.
func (r *run) hits(shown []located, c *compiled, weights []float64) []Hit {
	out := make([]Hit, 0, len(shown))
	byAnalyser := map[text.Analyser]*needles{}
	for _, l := range shown {
		if r.shards[l.shard] == nil {
			continue
		}
		p, err := r.shards[l.shard].Page(r.ctx, l.Ref)
		if err != nil {
			r.drop(l.shard, err)
			continue
		}
		a := text.ForLanguage(p.Lang)
		n, ok := byAnalyser[a]
		if !ok {
			n = newNeedles(a, c, weights)
			byAnalyser[a] = n
		}
		out = append(out, Hit{
			URL: p.URL, Title: p.Title, Snippet: snippet(&p, n, r.opts.SnippetBytes, r.opts.ScanBytes),
			Score: l.Score, Site: p.Site, Lang: p.Lang, PublishedAt: p.PublishedAt, FetchedAt: p.FetchedAt, Key: p.Key,
		})
	}
	return out
}
