package policy

import "millrace/schema"

const (
	nearDepth = 3  // clicks from a seed up to which a page is not deep
	hostCash  = 10 // cash of a host from which its pages count as well linked
)

// FirstClass is the place of a new URL: a class and, for the record, a score.
// Nearer to a seed comes first; what another site named comes last. Both depend on
// nothing but the record and the host's row, so that a replay gives the same.
func FirstClass(kind schema.Kind, depth int32, stranger bool, host *schema.HostRow) (int32, float64) {
	score := 1 / float64(1+max(depth, 0))
	if host.Cash >= hostCash {
		score *= 2
	}
	switch {
	case stranger:
		return ClassRest + 1, score
	case kind != schema.Kind_PAGE || depth <= 0:
		return ClassFit, score
	case depth <= nearDepth:
		return ClassRest, score
	}
	return ClassRest + 1, score
}
