package shard

import (
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"millrace/consumers/index/query"
)

// newestFirst offers the pages by day, from the last day back. Every page has exactly one day. The
// score is the number of days since firstDay, so it is never negative.
func (r *scoring) newestFirst(v *segmentView) error {
	days, err := v.days()
	if err != nil {
		return err
	}
	for _, day := range slices.Backward(days) {
		score := float64(day - firstDay())
		if score <= r.best.floor() {
			return nil
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		l, err := v.list(fieldDay, day.String())
		if err != nil {
			return err
		}
		for it := roaring.And(l.pages, r.pages).Iterator(); it.HasNext(); {
			if err := r.offer(uint64(it.Next()), score); err != nil {
				return err
			}
		}
	}
	return nil
}

// days lists the days of a segment, oldest first; years and months are shorter terms.
func (v *segmentView) days() ([]query.Day, error) {
	dict, err := v.dict(fieldDay)
	if err != nil {
		return nil, err
	}
	var days []query.Day
	for terms := dict.AutomatonIterator(nil, nil, nil); ; {
		entry, err := terms.Next()
		if err != nil || entry == nil {
			return days, err
		}
		if t, err := time.Parse(time.DateOnly, entry.Term); err == nil {
			days = append(days, query.DayOf(t))
		}
	}
}
