package watch

import (
	"time"

	"millrace/streams"
)

// window is a sequence of points, oldest first.
type window []point

// span is the time between the first and the last point.
func (w window) span() time.Duration {
	if len(w) < 2 {
		return 0
	}
	return w[len(w)-1].at.Sub(w[0].at)
}

// ends returns the first and last known position of a group, and the time between.
func (w window) ends(group string) (first, last position, over time.Duration) {
	var from time.Time
	for _, p := range w {
		at, ok := p.groups[group]
		if !ok {
			continue
		}
		if from.IsZero() {
			first, from = at, p.at
		}
		last, over = at, p.at.Sub(from)
	}
	return first, last, over
}

// rates returns how many records per second came in for a group, and how many it handled. A
// position that went back (a replay) counts as no progress.
func (w window) rates(group string) (in, out float64, ok bool) {
	first, last, over := w.ends(group)
	if over < leastWindow {
		return 0, 0, false
	}
	rate := func(from, to int64) float64 { return float64(max(0, to-from)) / over.Seconds() }
	return rate(first.end, last.end), rate(first.done, last.done), true
}

// age returns a bound below which the share q of the ages of records is that this process handled
// within the window. Records older than the last bound count as twice that bound.
func (w window) age(group string, q float64) (float64, bool) {
	if len(w) == 0 {
		return 0, false
	}
	before, now := w[0].ages[group], w[len(w)-1].ages[group]
	n := now.Count - before.Count
	if n <= 0 {
		return 0, false
	}
	bounds := streams.AgeBounds()
	need := q * float64(n)
	var sum int64
	for i, b := range now.Buckets {
		if i < len(before.Buckets) {
			b -= before.Buckets[i]
		}
		if sum += b; float64(sum) >= need && i < len(bounds) {
			return bounds[i].Seconds(), true
		}
	}
	return 2 * bounds[len(bounds)-1].Seconds(), true
}

// trend divides the span before the last point into n steps, and returns the records handled per
// second in each; -1 for steps without two points.
func (w window) trend(group string, span time.Duration, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = -1
	}
	if len(w) == 0 {
		return out
	}
	start := w[len(w)-1].at.Add(-span)
	step := span / time.Duration(n)
	for i := 1; i < len(w); i++ {
		a, okA := w[i-1].groups[group]
		b, okB := w[i].groups[group]
		over := w[i].at.Sub(w[i-1].at)
		if !okA || !okB || over <= 0 {
			continue
		}
		rate := float64(max(0, b.done-a.done)) / over.Seconds()
		from := max(0, int(w[i-1].at.Sub(start)/step))
		to := min(n-1, int((w[i].at.Sub(start)-1)/step))
		for k := from; k <= to; k++ {
			out[k] = max(out[k], rate) // the highest rate of the step
		}
	}
	return out
}
