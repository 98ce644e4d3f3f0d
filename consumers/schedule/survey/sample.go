package survey

import (
	"cmp"
	"slices"

	"millrace/consumers/schedule/freshness"
	"millrace/consumers/schedule/policy"
)

// weighed is a page and the number of pages that it stands for.
type weighed struct {
	policy.View
	n float64
}

// sample is a set of pages of a crawl, site or host.
type sample struct{ views []weighed }

const daySeconds = 24 * 3600

// sum computes the Freshness of a sample.
func (s *sample) sum() Freshness {
	out := Freshness{Rows: len(s.views)}
	for _, most := range freshness.Intervals() {
		out.Intervals = append(out.Intervals, Group{Most: most})
	}
	for _, v := range s.views {
		out.Pages += v.n
		out.Current += v.n * v.Current
		out.Stale += v.n * v.Stale
		if v.Pause > 0 && v.Age > 1.5*v.Pause+1./24 {
			out.Overdue += v.n
		}
		out.Intervals[freshness.GroupOf(v.Pause)].Pages += v.n
	}
	if out.Pages == 0 {
		return out
	}
	out.Current /= out.Pages
	out.Stale /= out.Pages
	out.Overdue /= out.Pages
	out.Age = s.ages(out.Pages)
	return out
}

func (s *sample) ages(all float64) Ages {
	slices.SortFunc(s.views, func(a, b weighed) int { return cmp.Compare(a.Age, b.Age) })
	at := func(share float64) float64 {
		sum := 0.0
		for _, v := range s.views {
			if sum += v.n; sum >= share*all {
				return v.Age * daySeconds
			}
		}
		return s.views[len(s.views)-1].Age * daySeconds
	}
	return Ages{at(.5), at(.9), at(.99)}
}
