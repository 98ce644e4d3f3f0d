package freshness

import (
	"slices"
	"time"

	"millrace/schema"
)

// Intervals are the upper bounds of the groups that pages are counted in by their interval; the
// last one, 0, stands for any longer interval, or never. Numbers of groups are stored in rows of
// hosts: a group is never taken out of the list.
func Intervals() []time.Duration {
	const hour, day = time.Hour, 24 * time.Hour
	return []time.Duration{hour, 6 * hour, day, 3 * day, 7 * day, 30 * day, 0}
}

// GroupOf returns the index in Intervals of an interval (days); 0 = never fetched again.
func GroupOf(pause float64) int {
	list := Intervals()
	i := slices.IndexFunc(list, func(most time.Duration) bool { return pause > 0 && pause <= days(most) })
	if i < 0 {
		return len(list) - 1
	}
	return i
}

// regroup moves a page between the groups of its host when its plan changes from before to after
// looks a day; 0 = no plan. A row of a version without groups counts each page from its next plan
// on.
func regroup(s *schema.HostFreshness, before, after float64) {
	for len(s.ByInterval) < len(Intervals()) {
		s.ByInterval = append(s.ByInterval, 0)
	}
	if before > 0 {
		at := &s.ByInterval[GroupOf(1/before)]
		*at = max(*at-1, 0)
	}
	if after > 0 {
		s.ByInterval[GroupOf(1/after)]++
	}
}
