package search

import (
	"math/bits"

	"millrace/consumers/index/query"
	"millrace/consumers/sketch"
)

// folded is a hit together with the pages that are not shown separately.
type folded struct {
	located
	copies []located // the same text, or nearly
	more   int       // pages of the same site that were moved behind others
}

// single returns hits without folded pages.
func single(hits []located) []folded {
	out := make([]folded, len(hits))
	for i, h := range hits {
		out[i].located = h
	}
	return out
}

// perSite is how many hits of one site come before those of others; 0 = it does not matter.
func perSite(node query.Node, req Request, o Options) int {
	switch {
	case req.PerSite < 0 || req.Newest || onOneSite(node):
		return 0
	case req.PerSite > 0:
		return req.PerSite
	}
	return o.PerSite
}

// onOneSite reports whether the query asks for a site.
func onOneSite(node query.Node) bool {
	switch n := node.(type) {
	case query.Site:
		return true
	case query.And:
		for _, part := range n {
			if onOneSite(part) {
				return true
			}
		}
	}
	return false
}

// fold makes the list of hits. Among the first Window hits, a page whose text is nearly that of a
// better one is folded into it, and hits of a site beyond the first few come after those of other
// sites. Hits beyond the window are not changed, so the list is the same whichever part of it is
// shown.
func (r *run) fold(hits []located, perSite int) []folded {
	window := min(r.opts.Window, len(hits))
	list := r.withoutCopies(hits[:window])
	if perSite > 0 {
		list = takingTurns(list, perSite)
	}
	return append(list, single(hits[window:])...)
}

func (r *run) withoutCopies(hits []located) []folded {
	list := make([]folded, 0, len(hits))
next:
	for _, h := range hits {
		for i := range list {
			if copies(list[i].located, h, r.opts.NearBits) {
				list[i].copies = append(list[i].copies, h)
				continue next
			}
		}
		list = append(list, folded{located: h})
	}
	return list
}

// copies reports whether two hits are one for the reader. On two sites, texts as similar as those
// of the topic near are. The pages of one site often have much in common and are different things
// (the reports of each month), so these must be nearly equal: at most most bits differ.
func copies(x, y located, most int) bool {
	if x.Site == y.Site {
		return x.Near != 0 && y.Near != 0 && bits.OnesCount64(x.Near^y.Near) <= most
	}
	return sketch.ShortNear(x.Near, y.Near)
}

// takingTurns moves the hits of a site beyond the first n behind the others.
func takingTurns(list []folded, n int) []folded {
	seen := map[string]int{}
	last := map[string]int{} // index in first of the last hit of a site
	first := make([]folded, 0, len(list))
	var rest []folded
	for _, f := range list {
		if seen[f.Site]++; f.Site == "" || seen[f.Site] <= n {
			last[f.Site] = len(first)
			first = append(first, f)
			continue
		}
		first[last[f.Site]].more++
		rest = append(rest, f)
	}
	return append(first, rest...)
}
