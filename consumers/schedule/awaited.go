package schedule

import (
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/patterns"
	"millrace/consumers/schedule/policy"
	"millrace/schema"
)

// awaited are the URLs that were sent to fetch and whose text is not judged yet, counted by node of
// their shape. As long as they are awaited, fewer URLs of the shape may be sent. After patience
// they do not count any more.
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

// patience is how long (ms) an answer and its digest may take.
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

// expire removes what has been awaited for longer than patience.
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

// passage says whether the shape of a URL lets it be fetched now.
type passage uint8

const (
	open   passage = iota
	full           // its shape has as many in flight as its budget allows
	closed         // its shape's budget is used up
)

// pass asks the gates (patterns.Tree.Gates) of a URL that was never answered. URLs of ClassNow,
// seeds and URLs that a rule wants pass always.
func (e *emission) pass(h *hosts.Host, x hosts.Entry, u *url) (passage, []patterns.Gate) {
	if u.row.AskedAt > 0 || h.Tree == nil || !e.ledger.opts.Traps {
		return open, nil
	}
	gates := h.Tree.Gates(u.path, e.ledger.now)
	if int32(x.Class) == policy.ClassNow || u.row.Seeded || u.row.Rule != "" { // urgent, or an operator wants it
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
