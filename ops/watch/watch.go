package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"millrace/streams"
)

// Options of a Watch.
type Options struct {
	Every   time.Duration // between two samples of the history
	Fresh   time.Duration // how old a Report may be
	Timeout time.Duration // for one reading of all sources
}

// DefaultOptions returns the defaults.
func DefaultOptions() Options {
	return Options{Every: 2 * time.Second, Fresh: time.Second, Timeout: 5 * time.Second}
}

// Validate returns an error for options that cannot work.
func (o Options) Validate() error {
	if o.Every < 100*time.Millisecond || o.Fresh < 0 || o.Timeout <= 0 {
		return fmt.Errorf("watch: every %s (at least 100ms), fresh %s, timeout %s", o.Every, o.Fresh, o.Timeout)
	}
	return nil
}

// Watch makes Reports. Safe for concurrent use.
type Watch struct {
	opts    Options
	src     Sources
	since   time.Time
	history *history
	turn    chan struct{} // has a token while nobody reads
	last    Report        // guarded by turn
	read    time.Time     // when last was complete
}

// New returns a Watch. It has no history until Run is called.
func New(o Options, src Sources) (*Watch, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if src.Lag == nil {
		return nil, errors.New("watch: no source of lag")
	}
	if src.Positions == nil {
		src.Positions = src.Lag
	}
	w := &Watch{opts: o, src: src, since: time.Now(), history: newHistory(), turn: make(chan struct{}, 1)}
	w.turn <- struct{}{}
	return w, nil
}

// Run takes samples until ctx ends.
func (w *Watch) Run(ctx context.Context) error {
	tick := time.NewTicker(w.opts.Every)
	defer tick.Stop()
	for {
		w.sample(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (w *Watch) sample(ctx context.Context) {
	if time.Since(w.history.newest()) < w.opts.Every/2 {
		return // a Report was made just now
	}
	ctx, cancel := context.WithTimeout(ctx, w.opts.Timeout)
	defer cancel()
	w.remember(w.src.Positions(ctx))
}

// remember adds a point to the history, without the groups that could not be read.
func (w *Watch) remember(lag streams.Lag) {
	p := point{at: lag.At, groups: map[string]position{}}
	for _, g := range lag.Groups {
		if len(g.Partitions) == 0 {
			continue
		}
		var at position
		for _, l := range g.Partitions {
			at.done += l.Committed + l.Ahead
			at.end += l.End
		}
		p.groups[g.Group] = at
	}
	if w.src.Meter != nil {
		p.ages = w.src.Meter.Ages()
	}
	w.history.add(p)
}

// Report returns the current state. Callers at the same time share one reading. If ctx ends before,
// the Report is empty but for the error.
func (w *Watch) Report(ctx context.Context) Report {
	select {
	case <-ctx.Done():
		return Report{At: time.Now(), Since: w.since, Errors: []string{ctx.Err().Error()}}
	case <-w.turn:
	}
	defer func() { w.turn <- struct{}{} }()
	if time.Since(w.read) >= w.opts.Fresh {
		w.last = w.ask(ctx)
		w.read = time.Now() // not when it began: callers who waited must not read again
	}
	return w.last
}

// ask reads all sources, side by side: what one of them waits for does not take the time of the
// others. It does not end with the caller's context, because other callers wait for the result.
func (w *Watch) ask(ctx context.Context) Report {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.opts.Timeout)
	defer cancel()
	var lag streams.Lag
	var more extras
	var all sync.WaitGroup
	all.Go(func() { lag = w.src.Lag(ctx) })
	more.ask(ctx, &w.src, all.Go)
	all.Wait()
	w.remember(lag)
	r := w.build(&more, lag)
	if w.src.Index != nil {
		r.Index = w.src.Index()
	}
	more.addTo(&r)
	r.offline()
	r.foldErrors()
	return r
}

// nameAbsent gives groups that are behind and run in no process a verdict that says so. Without a
// list of processes it does nothing.
func (r *Report) nameAbsent() {
	if len(r.Members) == 0 {
		return
	}
	for i := range r.Groups {
		e := &r.Groups[i]
		runs := slices.ContainsFunc(r.Members, func(m Member) bool { return slices.Contains(m.Groups, e.Group) })
		if !runs && e.Records > 0 {
			e.State, e.Verdict = Stuck, "no process is in this group: start one with millrace consume "+e.Group
		}
	}
}

// note adds an error to the Report, and reports whether there was none.
func (r *Report) note(what string, err error) bool {
	if err != nil {
		r.Errors = append(r.Errors, what+": "+err.Error())
	}
	return err == nil
}

// Trend returns the records that a group handled per second, over a span up to now, in n steps; -1
// for unknown steps.
func (w *Watch) Trend(group string, span time.Duration, n int) []float64 {
	return w.history.window(time.Now().Add(-span)).trend(group, span, n)
}

// Docs returns the number of documents in the index without reading any other source; false if this
// process has no index.
func (w *Watch) Docs() (int64, bool) {
	if w.src.Index == nil {
		return 0, false
	}
	r := Report{Index: w.src.Index()}
	return r.Docs(), true
}

// Meter returns the counters of this process; nil if there are none.
func (w *Watch) Meter() *streams.Meter { return w.src.Meter }
