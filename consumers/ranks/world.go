package ranks

import (
	"millrace/consumers/ranks/push"
	"millrace/schema"
)

// world holds the graph of pages and the graph of their hosts, in memory.
type world struct {
	pages *push.Graph
	hosts *push.Graph
	of    []push.Node         // host of each page, + 1; 0: not known
	known []bool              // the page was fetched
	to    []map[push.Node]int // per host: by other host, the number of its pages that link there
	names []string            // of hosts, reversed
	told  [2][]float32        // the values published last, of pages and hosts; 0: none
	next  [2]int              // where tell goes on in the next round
}

// Indexes of the two graphs in arrays.
const (
	ofPages = iota
	ofHosts
)

func newWorld() *world { return &world{pages: push.New(push.Damping), hosts: push.New(push.Damping)} }

func (w *world) page(id uint64) push.Node {
	n := w.pages.Add(id)
	if int(n) == len(w.of) {
		w.of, w.known = append(w.of, 0), append(w.known, false)
		w.told[ofPages] = append(w.told[ofPages], 0)
	}
	return n
}

func (w *world) host(name string) push.Node {
	n := w.hosts.Add(schema.PageID(name))
	if int(n) == len(w.names) {
		w.names, w.to = append(w.names, name), append(w.to, nil)
		w.told[ofHosts] = append(w.told[ofHosts], 0)
	}
	return n
}

// apply replaces the links of a page, and those of its host if the set of hosts that it links to
// has changed.
func (w *world) apply(o *schema.OutLinks) {
	page := w.page(schema.PageID(o.RowKey))
	home := w.host(string(schema.RowKey(o.RowKey).Host()))
	w.of[page], w.known[page] = home+1, !o.Gone
	before := w.hostsOf(page, home)
	var targets []push.Node
	for _, h := range o.Hosts {
		host := w.host(h.Host)
		for _, id := range h.Ids {
			n := w.page(id)
			w.of[n] = host + 1
			targets = append(targets, n)
		}
	}
	w.pages.Set(page, targets)
	w.relink(home, before, w.hostsOf(page, home))
}

// hostsOf returns the other hosts that a page links to.
func (w *world) hostsOf(page, home push.Node) map[push.Node]bool {
	set := map[push.Node]bool{}
	for _, n := range w.pages.Out(page) {
		if h := w.of[n]; h != 0 && h-1 != home {
			set[h-1] = true
		}
	}
	return set
}

// relink updates the counts of a host after one of its pages changed, and the links of the host if
// the set of linked hosts changed.
func (w *world) relink(home push.Node, before, after map[push.Node]bool) {
	changed := false
	if w.to[home] == nil {
		w.to[home] = map[push.Node]int{}
	}
	to := w.to[home]
	for h := range before {
		if after[h] {
			continue
		}
		if to[h]--; to[h] <= 0 {
			delete(to, h)
			changed = true
		}
	}
	for h := range after {
		if before[h] {
			continue
		}
		if to[h]++; to[h] == 1 {
			changed = true
		}
	}
	if !changed {
		return
	}
	list := make([]push.Node, 0, len(to))
	for h := range to {
		list = append(list, h)
	}
	w.hosts.Set(home, list)
}

// step walks at most about the given number of links in the graph of pages, and an eighth of it in
// that of hosts. It reports whether no residual of either is above the threshold to.
func (w *world) step(links int64, to float64) bool {
	hosts := w.hosts.Step(links/8+1, to)
	return w.pages.Step(links, to) && hosts
}

func (w *world) coarsen() {
	w.pages.Coarsen()
	w.hosts.Coarsen()
}
