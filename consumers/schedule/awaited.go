package schedule

import (
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/patterns"
	"millrace/consumers/schedule/policy"
	"millrace/schema"
)

// awaited are the URLs that were asked for and are not judged: their shapes have so many
// less to ask for. What is not heard of within patience does not count any more.
type awaited struct {
	by    map[schema.RowKey]awaiting
	order []awaitedKey
	n     map[*schema.PatternNode]int64
}

type awaiting struct {
	gates []*schema.PatternNode
	at    int64
}

type awaitedKey struct {
	key schema.RowKey
	at  int64
}

// patience is how long (ms) an answer and its text may take.
const patience = 60_000

func newAwaited() *awaited {
	return &awaited{by: map[schema.RowKey]awaiting{}, n: map[*schema.PatternNode]int64{}}
}

func (a *awaited) add(key schema.RowKey, gates []patterns.Gate, now int64) {
	a.remove(key)
	w := awaiting{at: now}
	for _, g := range gates {
		w.gates = append(w.gates, g.Node)
		a.n[g.Node]++
	}
	a.by[key] = w
	a.order = append(a.order, awaitedKey{key, now})
}

func (a *awaited) remove(key schema.RowKey) {
	for _, n := range a.by[key].gates {
		if a.n[n]--; a.n[n] <= 0 {
			delete(a.n, n)
		}
	}
	delete(a.by, key)
}

// expire forgets what takes too long.
func (a *awaited) expire(now int64) {
	for len(a.order) > 0 {
		x := a.order[0]
		if w, ok := a.by[x.key]; ok && w.at == x.at {
			if w.at+patience > now && w.at <= now {
				return
			}
			a.remove(x.key)
		}
		a.order = a.order[1:]
	}
}

// passage says whether a URL may be asked for now.
type passage uint8

const (
	open   passage = iota
	full           // as many of its shape are on their way as its budget lets
	closed         // its shape's budget is used up
)

// pass asks the gates of a URL that was never answered.
func (e *emission) pass(h *hosts.Host, x hosts.Entry, u *url) (passage, []patterns.Gate) {
	if u.row.AskedAt > 0 || h.Tree == nil || !e.ledger.opts.Traps {
		return open, nil
	}
	gates := h.Tree.Gates(u.path, e.ledger.now)
	if int32(x.Class) == policy.ClassNow || u.row.Seeded || u.row.Rule != "" { // an operator asks for it
		return open, gates
	}
	p := open
	for _, g := range gates {
		switch {
		case g.Room <= 0:
			return closed, nil
		case e.awaited.n[g.Node] >= g.Room:
			p = full
		}
	}
	return p, gates
}
