package watch

import (
	"cmp"
	"slices"
	"time"

	"millrace/streams"
	"millrace/topics"
)

// Report is the state of the pipeline at one moment.
type Report struct {
	At     time.Time `json:"at"`
	Since  time.Time `json:"since"` // when counters and history begin
	Groups []Edge    `json:"groups"`
	Drops  []Drop    `json:"drops"` // largest first

	Readers []streams.GroupLag `json:"readers,omitempty"` // groups of other programs; no group of the pipeline waits for them

	Frontier    *Frontier  `json:"frontier,omitempty"`
	Requests    *Requests  `json:"requests,omitempty"`
	Index       []Shard    `json:"index,omitempty"`
	DeadLetters *int64     `json:"dead_letters,omitempty"`
	Members     []Member   `json:"members,omitempty"`
	Pages       *Pages     `json:"pages,omitempty"`
	Freshness   *Freshness `json:"freshness,omitempty"`
	Notices     []Notice   `json:"notices,omitempty"`
	Errors      []string   `json:"errors,omitempty"` // what could not be read
	Lag         LagSummary `json:"lag"`
}

// LagSummary sums up all groups. URLs that wait for their host's turn do not count as behind.
type LagSummary struct {
	Records int64   `json:"records"`          // over all groups
	Seconds float64 `json:"seconds"`          // of the group that is most behind
	Polite  int64   `json:"polite,omitempty"` // URLs that wait for their host's turn
}

func (l *LagSummary) add(e *Edge) {
	if e.State == Polite {
		l.Polite += e.Records
		return
	}
	l.Records += e.Records
	l.Seconds = max(l.Seconds, e.Seconds)
}

// Edge is the state of one group: what it reads and writes, and how well it keeps up.
type Edge struct {
	streams.GroupLag
	Writes  []string `json:"writes"`
	In      *float64 `json:"in_per_second,omitempty"`  // records that came in; nil = not known yet
	Out     *float64 `json:"out_per_second,omitempty"` // records that were done
	Drain   *float64 `json:"drain_seconds,omitempty"`  // until nothing is left, at this speed; nil = never, or not known
	AgeP95  *float64 `json:"age_p95_seconds,omitempty"`
	State   State    `json:"state"`
	Verdict string   `json:"verdict"`
	Dropped int64    `json:"dropped"`
	Letters int64    `json:"dead_letters"`
	Retried int64    `json:"retried"`
}

// Left returns the seconds until nothing is left, at this speed; nil = never, or not known. It is
// nil for a group that keeps up, too: what it holds is on its way, and in and out differ by chance.
func (e Edge) Left() *float64 {
	if e.State == KeepingUp {
		return nil
	}
	return e.Drain
}

// Drop counts the records that a group left out for a reason, over all processes.
type Drop struct {
	Group  string `json:"group"`
	Reason string `json:"reason"`
	N      int64  `json:"n"`
}

// Docs is the number of documents in the index.
func (r *Report) Docs() int64 {
	var n int64
	for _, s := range r.Index {
		n += s.Docs
	}
	return n
}

// Edge returns the edge of a group, or nil.
func (r *Report) Edge(group string) *Edge {
	for i := range r.Groups {
		if r.Groups[i].Group == group {
			return &r.Groups[i]
		}
	}
	return nil
}

// build makes a Report from what was read.
func (w *Watch) build(more *extras, lag streams.Lag) Report {
	r := Report{At: lag.At, Since: w.since, Errors: lag.Errors, Readers: lag.Readers}
	r.Requests, r.Frontier = more.requests, more.frontier.value
	r.note("frontier", more.frontier.err)
	r.note("counters", more.counts.err)
	f, counts := r.Frontier, more.counts.value
	window := w.history.window(lag.At.Add(-rateWindow))
	for _, g := range topics.Groups() {
		e := Edge{GroupLag: streams.GroupLag{Group: g.Name, Topic: g.Reads}, Writes: g.Writes}
		if i := slices.IndexFunc(lag.Groups, func(l streams.GroupLag) bool { return l.Group == g.Name }); i >= 0 {
			e.GroupLag = lag.Groups[i]
		}
		e.count(counts)
		e.rates(window)
		r.Groups = append(r.Groups, e)
	}
	for i, g := range topics.Groups() {
		e := &r.Groups[i]
		e.State, e.Verdict = judge(evidence{g, e, window.span(), r.blocked(g, w.src.held(g.Name)), f, r.Requests})
		r.Lag.add(e)
	}
	r.Drops = drops(counts, f)
	return r
}

func (e *Edge) count(counts []streams.CountValue) {
	for _, c := range counts {
		if c.Group != e.Group {
			continue
		}
		switch c.What {
		case "dropped":
			e.Dropped += c.Value
		case "dead_letter":
			e.Letters += c.Value
		case "retried":
			e.Retried += c.Value
		}
	}
}

// rates sets the rates over a window, and what follows from them.
func (e *Edge) rates(w window) {
	in, out, ok := w.rates(e.Group)
	if !ok {
		return
	}
	e.In, e.Out = &in, &out
	if e.Records > 0 && out > in {
		drain := float64(e.Records) / (out - in)
		e.Drain = &drain
	}
	if p, ok := w.age(e.Group, 0.95); ok {
		e.AgeP95 = &p
	}
}

// drops lists the dropped records by reason, most first. Those of schedule come from the frontier,
// if it is known, where they are exact over restarts.
func drops(counts []streams.CountValue, f *Frontier) []Drop {
	out := []Drop{}
	for _, c := range counts {
		if c.What == "dropped" && c.Value > 0 && (c.Group != "schedule" || f == nil || f.Drops == nil) {
			out = append(out, Drop{c.Group, c.Label, c.Value})
		}
	}
	if f != nil {
		for reason, n := range f.Drops {
			out = append(out, Drop{"schedule", reason, n})
		}
	}
	slices.SortFunc(out, func(a, b Drop) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// blocked returns the group for which g waits; nil if for none. If g runs in this process, the
// meter says so; if not, it is estimated from the bound of the topic.
func (r *Report) blocked(g topics.Group, held []streams.Held) *Edge {
	for _, h := range held {
		return r.Edge(h.Reader)
	}
	for _, t := range g.Waits {
		spec, err := topics.Named(t)
		if err != nil {
			return nil
		}
		b := spec.Bound
		for _, reader := range topics.Readers(t) {
			edge := r.Edge(reader.Name)
			if edge == nil { // it could not be read
				continue
			}
			for _, p := range edge.Partitions {
				if p.Records > b.Records || p.Records > b.Floor && p.Seconds > 2*b.Within.Seconds() {
					return edge
				}
			}
		}
	}
	return nil
}

func (s *Sources) counts() []streams.CountValue {
	if s.Meter == nil {
		return nil
	}
	return s.Meter.Counts()
}

// held lists what a group of this process waits for.
func (s *Sources) held(group string) []streams.Held {
	if s.Meter == nil {
		return nil
	}
	return s.Meter.Held(group)
}
