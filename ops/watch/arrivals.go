package watch

import (
	"math"
	"sync"
	"time"
)

// ArrivalBounds returns the bounds of the histogram of arrivals, in seconds. There is one more
// bucket above the last one.
func ArrivalBounds() []float64 {
	return []float64{.25, .5, .75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 10, 12, 15, 20, 30, 45, 60, 120, 300, 900, 3600}
}

const arrivalMinutes = 60

// Arrivals counts, for the last hour, how long it took from the reading of a feed until its items
// could be found. The zero value is ready. Safe for concurrent use.
type Arrivals struct {
	mu      sync.Mutex
	minutes [arrivalMinutes]minute
}

// minute has the counts of one minute.
type minute struct {
	number int64 // since the Unix epoch
	counts []int64
}

// Add counts an item that can be found from now on. Items listed more than an hour ago do not
// count: they come from an index that is filled anew.
func (a *Arrivals) Add(listed, now time.Time) {
	took := max(now.Sub(listed), 0)
	if took > time.Hour {
		return
	}
	bounds := ArrivalBounds()
	i := 0
	for i < len(bounds) && took.Seconds() > bounds[i] {
		i++
	}
	n := now.Unix() / 60
	a.mu.Lock()
	defer a.mu.Unlock()
	m := &a.minutes[n%arrivalMinutes]
	if m.number != n || m.counts == nil {
		m.number, m.counts = n, make([]int64, len(bounds)+1)
	}
	m.counts[i]++
}

// Counts returns the histogram of the last hour; nil if it is empty.
func (a *Arrivals) Counts(now time.Time) []int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []int64
	for _, m := range a.minutes {
		if m.counts == nil || m.number <= now.Unix()/60-arrivalMinutes || m.number > now.Unix()/60 {
			continue
		}
		out = addCounts(out, m.counts)
	}
	return out
}

func addCounts(sum, more []int64) []int64 {
	n := len(ArrivalBounds()) + 1
	if len(more) != n {
		return sum
	}
	if sum == nil {
		sum = make([]int64, n)
	}
	for i, c := range more {
		sum[i] += c
	}
	return sum
}

// Arrived says how long it took until items of feeds could be found, in the last hour.
type Arrived struct {
	Items int64   `json:"items"`
	P50   float64 `json:"p50_seconds"`
	P99   float64 `json:"p99_seconds"`
}

// ArrivedOf merges the histograms of several processes; nil if they are empty.
func ArrivedOf(counts ...[]int64) *Arrived {
	var sum []int64
	for _, c := range counts {
		sum = addCounts(sum, c)
	}
	out := &Arrived{}
	for _, c := range sum {
		out.Items += c
	}
	if out.Items == 0 {
		return nil
	}
	out.P50, out.P99 = quantile(sum, .5), quantile(sum, .99)
	return out
}

// quantile returns a quantile of a histogram. Within a bucket, times are taken as evenly
// distributed.
func quantile(counts []int64, q float64) float64 {
	all := int64(0)
	for _, c := range counts {
		all += c
	}
	rank, below := math.Ceil(q*float64(all)), int64(0)
	bounds := append([]float64{0}, ArrivalBounds()...)
	for i, c := range counts {
		if float64(below+c) >= rank && c > 0 {
			if i+1 == len(bounds) {
				return bounds[i]
			}
			return bounds[i] + (bounds[i+1]-bounds[i])*(rank-float64(below))/float64(c)
		}
		below += c
	}
	return bounds[len(bounds)-1]
}
