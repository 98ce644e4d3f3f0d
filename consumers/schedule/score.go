package schedule

import "millrace/schema"

// scorer gives a URL its place at first sight: a class and, for the record, a
// score. It is asked once per new URL.
type scorer interface {
	score(c *candidate, host *schema.HostRow) (class int32, score float64)
}

// byDepth is breadth first: what is nearer to a seed is fetched first, and
// pages of hosts that many links point to before others.
type byDepth struct{}

// hostCash is the cash of a host from which its pages count as well linked.
const hostCash = 10

func (byDepth) score(c *candidate, host *schema.HostRow) (int32, float64) {
	score := 1 / float64(1+max(c.depth, 0))
	if host.Cash >= hostCash {
		score *= 2
	}
	switch {
	case c.kind == schema.Kind_FEED || c.kind == schema.Kind_SITEMAP || c.kind == schema.Kind_HUB || c.depth <= 0:
		return classFit, score
	case score >= 0.25:
		return classRest, score
	}
	return classRest + 1, score
}
