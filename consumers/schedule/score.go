package schedule

import "millrace/schema"

// scorer gives a URL its place at first sight: a class and, for the record, a
// score. It is asked once per new URL. The class must be a function of the record
// and of what is stored: a replay has to put the URL into the same queue.
type scorer interface {
	score(c *candidate, host *schema.HostRow) (class int32, score float64)
}

// byDepth is breadth first: what is nearer to a seed is fetched first. The score
// is higher on hosts that many links point to.
type byDepth struct{}

const (
	nearDepth = 3  // clicks from a seed up to which a page is not deep
	hostCash  = 10 // cash of a host from which its pages count as well linked
)

func (byDepth) score(c *candidate, host *schema.HostRow) (int32, float64) {
	score := 1 / float64(1+max(c.depth, 0))
	if host.Cash >= hostCash {
		score *= 2
	}
	switch {
	case c.kind != schema.Kind_PAGE || c.depth <= 0:
		return classFit, score
	case c.depth <= nearDepth:
		return classRest, score
	}
	return classRest + 1, score
}
