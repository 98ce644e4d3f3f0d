package ranks

import (
	"millrace/consumers/ranks/push"
	"millrace/schema"
)

// world is the graph of pages, and that of their hosts.
type world struct {
	pages *push.Graph
	hosts *push.Graph
	of    []push.Node         // the host of each page, + 1; 0 = not known
	known []bool              // the page was fetched
	to    []map[push.Node]int // per host: pages of it that link to a host
	names []string            // of hosts, reversed
	told  [2][]float32        // what was told, of pages and hosts; 0 = nothing
	next  [2]int              // where to look on for what to tell
}

// The two graphs, as places in arrays.
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

// apply puts the links of a page in the place of those before, and reports whether its host links
// to others than before. Which graph changed is seen from their work.
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

// hostsOf are the other hosts that a page links to.
func (w *world) hostsOf(page, home push.Node) map[push.Node]bool {
	set := map[push.Node]bool{}
	for _, n := range w.pages.Out(page) {
		if h := w.of[n]; h != 0 && h-1 != home {
			set[h-1] = true
		}
	}
	return set
}

// relink counts which hosts a host's pages link to.
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

// step walks about so many links, and reports whether both graphs are exact to a threshold.
func (w *world) step(links int64, to float64) bool {
	hosts := w.hosts.Step(links/8+1, to)
	return w.pages.Step(links, to) && hosts
}

func (w *world) coarsen() {
	w.pages.Coarsen()
	w.hosts.Coarsen()
}
