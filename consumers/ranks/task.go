package ranks

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"millrace/consumers/ranks/push"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// task computes the ranks. One goroutine calls its methods; only the status is shared.
//
// It is large because the graph, its counters and the pace of computing have one owner.
type task struct {
	streams.Plain[*schema.OutLinks]
	group *Ranks
	part  *streams.Partition
	out   emitters
	world *world

	came    bool       // a record came since the last Tick
	changed time.Time  // when the last record came
	exact   time.Time  // when values were exact last
	making  bool       // values are being made exact
	settled bool       // values are exact: no record came since
	precise bool       // tell publishes the exact values of the highest, too
	notYet  time.Time  // exact values are not published again before it
	told    time.Time  // when tell was called last
	look    bool       // some value may have to be published
	floor   [2]float64 // the lowest of the Top highest values, of pages and hosts
	mean    [2]float64 // mean of all values, when they were exact last

	names  names     // of pages whose values were published lately
	toldOn string    // id of the topic ranks that values were published on; "": not known
	asked  time.Time // when the id was asked for last
}

// Recover reads the graph from link_page, and the values that were published before.
func (t *task) Recover(ctx context.Context) (int64, error) {
	t.world, t.names, t.settled, t.look = newWorld(), names{}, false, true
	t.toldOn, t.asked = "", time.Time{}
	t.group.note(Status{})
	err := t.group.deps.Graph.Each(ctx, func(p *schema.PageLinksRow) { t.world.apply(outOf(p)) })
	if err != nil {
		return 0, fmt.Errorf("read the graph: %w", err)
	}
	if err := t.checkTopic(ctx, time.Time{}); err != nil {
		return 0, err
	}
	if err := t.readTold(ctx); err != nil {
		return 0, fmt.Errorf("read ranks told before: %w", err)
	}
	t.world.coarsen()
	return streams.Committed, nil
}

// outOf returns a row of link_page in the form of the topic graph.
func outOf(p *schema.PageLinksRow) *schema.OutLinks {
	o := &schema.OutLinks{RowKey: p.RowKey, Gone: p.Gone && len(p.Hosts) == 0}
	for _, h := range p.Hosts {
		ids := &schema.HostIDs{Host: h.Host}
		for i, id := range h.Ids {
			if i < len(h.Rels) && h.Rels[i] == 0 {
				ids.Ids = append(ids.Ids, id)
			}
		}
		o.Hosts = append(o.Hosts, ids)
	}
	return o
}

// readTold reads the values that were published from the topic ranks.
func (t *task) readTold(ctx context.Context) error {
	log := t.part.Log()
	if log == nil {
		return nil
	}
	return Fold(ctx, log, func(r *schema.Rank) {
		if r.RowKey == "" {
			n := t.world.host(r.Host)
			t.world.told[ofHosts][n] = float32(r.Value)
		} else if n, ok := t.world.pages.Find(schema.PageID(r.RowKey)); ok {
			t.world.told[ofPages][n] = float32(r.Value)
		}
	})
}

// Fold calls fn with every record of the topic ranks, in the order of each partition.
func Fold(ctx context.Context, log *streams.Log, fn func(*schema.Rank)) error {
	topic := topics.Ranks()
	ends, err := log.Ends(ctx, topic.Name)
	if err != nil {
		return err
	}
	for p, end := range ends {
		err := streams.Read(ctx, log, topic, p, 0, end, func(r *streams.Record[*schema.Rank]) error {
			if r.Value != nil {
				fn(r.Value)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Handle replaces the links of a page.
func (t *task) Handle(_ context.Context, r *streams.Record[*schema.OutLinks]) error {
	if r.Value == nil || schema.RowKey(r.Value.RowKey).URL() == "" {
		return streams.DeadLetter("key", "out-links of the page %.200q", r.Value.GetRowKey())
	}
	t.world.apply(r.Value)
	t.came, t.settled, t.precise, t.look = true, false, false, true
	t.group.rests.Store(false)
	return nil
}

// Tick computes for one round (step), and publishes values that changed (tell): when values are
// exact, when a publication goes on, and otherwise once per Options.Every.
func (t *task) Tick(ctx context.Context, now time.Time) error {
	if t.came {
		t.came, t.changed = false, now
	}
	if err := t.checkTopic(ctx, now); err != nil {
		return err
	}
	if !t.settled {
		t.step(now)
	}
	if t.settled && !t.precise && t.group.rests.Load() { // Finish was called
		t.look = true
		t.allowPrecise(now)
	}
	if t.look && (t.settled || t.world.next != [2]int{} || now.Sub(t.told) >= t.group.opts.Every) {
		t.told = now
		if err := t.tell(ctx, now); err != nil {
			return err
		}
	}
	w := t.world
	t.group.note(Status{Running: true, Pages: w.pages.Len(), Links: w.pages.Links(), Hosts: w.hosts.Len(),
		Settled: t.settled && t.precise && !t.look, Walked: w.pages.Visited + w.hosts.Visited})
	return nil
}

// RestsUntil implements streams.Rester. While values are exact and published, only the topic's id
// is to be looked at. Finish is noticed within pollFinish.
func (t *task) RestsUntil(now time.Time) time.Time {
	switch {
	case t.came || !t.settled || t.look:
		return now
	case !t.precise:
		return now.Add(pollFinish)
	}
	return t.asked.Add(t.group.opts.Every)
}

// pollFinish is the longest time from Finish until a group at rest notices it.
const pollFinish = 250 * time.Millisecond

// checkTopic checks the id of the topic ranks, at most once per Options.Every. If the topic was
// made anew, the values on it are gone, and all are published again.
func (t *task) checkTopic(ctx context.Context, now time.Time) error {
	log := t.part.Log()
	if log == nil || !t.asked.IsZero() && now.Sub(t.asked) < t.group.opts.Every {
		return nil
	}
	id, err := log.TopicID(ctx, topics.Ranks().Name)
	if err != nil {
		return err
	}
	if t.toldOn != "" && t.toldOn != id {
		t.group.deps.Logger.Error("the topic ranks was made anew: all values are told again")
		for _, told := range t.world.told {
			clear(told)
		}
		t.world.next, t.look = [2]int{}, true
		t.settled, t.precise, t.making = false, false, true
	}
	t.toldOn, t.asked = id, now
	return nil
}

// step pushes large residuals while records come; after Quiet without a record, or Exact since the
// last time, it pushes all residuals above push.Fine, which makes the values exact.
func (t *task) step(now time.Time) {
	o := &t.group.opts
	if !t.making && (now.Sub(t.changed) >= o.Quiet || now.Sub(t.exact) >= o.Exact) {
		t.making = true
	}
	if !t.making {
		t.world.step(o.Walk, push.Coarse)
		return
	}
	if !t.world.step(o.Walk, push.Fine) {
		return
	}
	t.making, t.settled, t.look, t.exact = false, true, true, now
	t.allowPrecise(now)
	t.world.coarsen()
	for kind, g := range []*push.Graph{t.world.pages, t.world.hosts} {
		t.floor[kind], t.mean[kind] = floorOf(g, o.Top), mean(g)
	}
}

// allowPrecise begins the publication of exact values, if Finish was called or notYet has passed.
func (t *task) allowPrecise(now time.Time) {
	if t.precise = t.group.rests.Load() || !now.Before(t.notYet); t.precise {
		t.world.next, t.notYet = [2]int{}, now
	}
}

func mean(g *push.Graph) float64 {
	sum := 0.0
	for n := range g.Len() {
		sum += g.Value(push.Node(n))
	}
	return sum / float64(max(1, g.Len()))
}

// floorOf returns the lowest of the top highest values of a graph; for top = 0 a value that no page
// has.
func floorOf(g *push.Graph, top int) float64 {
	switch {
	case top == 0:
		return math.Inf(1)
	case g.Len() <= top:
		return 0
	}
	all := make([]float64, g.Len())
	for n := range all {
		all[n] = g.Value(push.Node(n))
	}
	slices.Sort(all)
	return all[len(all)-top]
}

// tell sends the values that differ from those published before, at most Options.Tell in a round.
// The next round goes on after them.
func (t *task) tell(ctx context.Context, now time.Time) error {
	left := t.group.opts.Tell
	var sent []*float32
	for kind, g := range []*push.Graph{t.world.pages, t.world.hosts} {
		for t.world.next[kind] < g.Len() {
			if left == 0 {
				return nil
			}
			n := push.Node(t.world.next[kind])
			if t.differs(kind, g.Value(n), t.world.told[kind][n]) {
				done, err := t.send(ctx, kind, n, now)
				if err != nil {
					for _, told := range sent { // the loop takes their sends back
						*told = 0
					}
					t.world.next = [2]int{}
					return err
				}
				if done {
					if t.precise {
						t.notYet = t.notYet.Add(t.group.opts.Precise)
					}
					left, sent = left-1, append(sent, &t.world.told[kind][n])
				}
			}
			t.world.next[kind]++
		}
	}
	t.world.next, t.look = [2]int{}, false
	return nil
}

// differs reports whether a value must be published: it differs by the share Differ, or, among the
// highest while precise, by more than the precision of float32, seven digits.
func (t *task) differs(kind int, value float64, told float32) bool {
	was := float64(told)
	if told == 0 {
		was = Base
	}
	by := math.Abs(value - was)
	return by > t.group.opts.Differ*was || t.precise && value >= t.floor[kind] && by > 1e-7*was
}

// send sends the value of a page or a host. A page that was not fetched, or has no row in
// link_page, is left out: its row key is not known.
func (t *task) send(ctx context.Context, kind int, n push.Node, now time.Time) (bool, error) {
	w := t.world
	r := &schema.Rank{At: now.UnixMilli(), Mean: t.mean[kind]}
	if kind == ofHosts {
		r.Host, r.Value = w.names[n], w.hosts.Value(n)
		r.HostValue = r.Value
		r.Site = string(schema.SiteOf(schema.Host(r.Host).Name()))
	} else {
		if !w.known[n] {
			return false, nil
		}
		page, err := t.names.of(ctx, t.group.deps.Graph, w.pages.ID(n))
		if err != nil || page.rowKey == "" {
			return false, err
		}
		r.RowKey, r.Site, r.Value = page.rowKey, page.site, w.pages.Value(n)
		r.Host = string(schema.RowKey(page.rowKey).Host())
		r.HostValue = w.hosts.Value(w.host(r.Host))
	}
	t.out.ranks.Send(r)
	w.told[kind][n] = float32(r.Value)
	return true, nil
}

// Revoke frees the graph.
func (t *task) Revoke(context.Context, bool) {
	t.world, t.names = nil, names{}
	t.group.note(Status{})
}
