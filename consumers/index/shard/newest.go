package shard

import (
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"millrace/consumers/index/query"
	"millrace/consumers/index/segment"
)

// newestFirst offers the pages by day, from the last day back. Every page has exactly one day. The
// score is the number of days since firstDay, so it is never negative.
func (r *scoring) newestFirst(v *segmentView) error {
	for _, day := range slices.Backward(v.days()) {
		score := float64(day - firstDay())
		if score <= r.best.floor() {
			return nil
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		l := v.list(segment.Day, day.String())
		for it := roaring.And(l.pages(), r.pages).Iterator(); it.HasNext(); {
			if err := r.offer(it.Next(), score); err != nil {
				return err
			}
		}
	}
	return nil
}

// days lists the days of a segment, oldest first; years and months are shorter terms.
func (v *segmentView) days() []query.Day {
	var days []query.Day
	for terms := v.seg.Dictionary(segment.Day).All(); terms.Next(); {
		if t, err := time.Parse(time.DateOnly, string(terms.Term())); err == nil {
			days = append(days, query.DayOf(t))
		}
	}
	return days
}
