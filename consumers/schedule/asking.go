package schedule

import (
	"context"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/patterns"
	"millrace/consumers/schedule/policy"
	"millrace/schema"
)

// asking are the URLs at fetch that were never answered, counted by node of their shape. With those
// that were answered and are not judged (patterns.Gate) they use up the room of a shape.
type asking map[schema.Host]*hostAsking

// hostAsking are the URLs of one host. n holds for one version of one tree.
type hostAsking struct {
	paths   map[string]bool
	tree    *patterns.Tree
	version int
	n       map[*schema.PatternNode]int64
}

func (a asking) add(host schema.Host, path string) {
	x := a[host]
	if x == nil {
		x = &hostAsking{paths: map[string]bool{}}
		a[host] = x
	}
	if !x.paths[path] {
		x.paths[path] = true
		x.count(path, 1)
	}
}

func (a asking) remove(host schema.Host, path string) {
	x := a[host]
	if x == nil || !x.paths[path] {
		return
	}
	delete(x.paths, path)
	if x.count(path, -1); len(x.paths) == 0 {
		delete(a, host)
	}
}

// below returns the counts by node of a tree.
func (a asking) below(host schema.Host, tree *patterns.Tree) map[*schema.PatternNode]int64 {
	x := a[host]
	if x == nil {
		return nil
	}
	if x.tree != tree || x.version != tree.Version() {
		x.tree, x.version, x.n = tree, tree.Version(), map[*schema.PatternNode]int64{}
		for path := range x.paths {
			x.count(path, 1)
		}
	}
	return x.n
}

// count adds d to the nodes of a path, if the counts are those of the tree as it is.
func (x *hostAsking) count(path string, d int64) {
	if x.tree == nil || x.version != x.tree.Version() {
		x.tree = nil
		return
	}
	for _, n := range x.tree.Nodes(path) {
		x.n[n] += d
	}
}

// passage says whether the shape of a URL lets it be fetched now.
type passage uint8

const (
	open   passage = iota
	full           // its shape has as many on their way as its budget allows
	closed         // it is put aside: its shape's budget is used up, or another URL has its text
)

// pass asks the gates (patterns.Tree.Gates) of a URL that was never answered, and whether the host
// has its text under another address. URLs of ClassNow, seeds and URLs that a rule wants pass
// always.
func (e *emission) pass(ctx context.Context, h *hosts.Host, x hosts.Entry, u *url) (passage, error) {
	if h.Tree == nil || !e.ledger.opts.Traps || !judged(u.row) || int32(x.Class) == policy.ClassNow {
		return open, nil
	}
	like, err := e.ledger.likeness(ctx, h, u, e.flies)
	switch {
	case err != nil || like == repeats || like > single && !u.row.PutOff:
		return closed, err
	case like == arrives:
		return full, nil
	}
	p, below := open, e.asking.below(h.Name, h.Tree)
	for _, g := range h.Tree.Gates(u.path, e.ledger.now) {
		switch {
		case g.Closed:
			return closed, nil
		case below[g.Node] >= g.Room:
			p = full
		}
	}
	return p, nil
}

// flies reports whether a URL is at fetch.
func (e *emission) flies(key schema.RowKey) bool { return e.flights.of(key) != nil }

// judged reports whether a URL is subject to what the patterns learnt: it was never answered, and
// no operator wants it.
func judged(row *schema.UrlRow) bool { return row.AskedAt == 0 && !row.Seeded && row.Rule == "" }
