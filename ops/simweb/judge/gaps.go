package judge

import (
	"slices"
	"time"
)

// Bounds of the histogram of gaps, as parts of the delay; the last bucket is
// open.
var histogramParts = [...]float64{0.01, 0.1, 0.5, 0.9, 0.995, 1, 1.01, 1.05, 1.2, 1.5, 2, 5}

// Spread is the distribution of the gaps of all keys of a kind (host, site, address).
type Spread struct {
	Keys        int
	Gaps        int
	Early       int
	Min         time.Duration
	Mean        time.Duration
	P01         time.Duration
	P50         time.Duration
	P99         time.Duration
	Max         time.Duration
	Histogram   []Bucket
	MaxInFlight int
	Busiest     string // the key that had the most requests in flight
	Examples    []Gap  // the shortest early gaps
}

// Bucket counts gaps below UpTo times the delay and not below the one before.
type Bucket struct {
	UpTo  float64 // 0: everything above
	Count int
}

// Gap is one early request.
type Gap struct {
	Key   string
	At    time.Time
	Gap   time.Duration
	Delay time.Duration
}

// span is a request of a key.
type span struct{ start, end int64 }

// spreader collects gaps key by key.
type spreader struct {
	opts  Options
	all   []time.Duration
	sum   time.Duration
	out   Spread
	count [len(histogramParts) + 1]int
}

// add takes the requests of one key, sorted by start.
func (s *spreader) add(key string, delay time.Duration, spans []span) {
	s.out.Keys++
	if n := inFlight(spans); n > s.out.MaxInFlight {
		s.out.MaxInFlight, s.out.Busiest = n, key
	}
	for i := 1; i < len(spans); i++ {
		gap := time.Duration(spans[i].start - spans[i-1].start)
		s.all = append(s.all, gap)
		s.sum += gap
		s.count[bucketOf(gap, delay)]++
		if gap < s.opts.floor(delay) {
			s.out.Early++
			s.keep(Gap{key, time.Unix(0, spans[i].start).UTC(), gap, delay})
		}
	}
}

// keep holds the shortest early gaps.
func (s *spreader) keep(g Gap) {
	list := append(s.out.Examples, g)
	slices.SortStableFunc(list, func(a, b Gap) int { return int(max(-1, min(1, a.Gap-b.Gap))) })
	s.out.Examples = list[:min(len(list), s.opts.Examples)]
}

func bucketOf(gap, delay time.Duration) int {
	for i, part := range histogramParts {
		if float64(gap) < part*float64(delay) {
			return i
		}
	}
	return len(histogramParts)
}

func (s *spreader) spread() Spread {
	out := s.out
	out.Gaps = len(s.all)
	for i, n := range s.count {
		b := Bucket{Count: n}
		if i < len(histogramParts) {
			b.UpTo = histogramParts[i]
		}
		out.Histogram = append(out.Histogram, b)
	}
	if out.Gaps == 0 {
		return out
	}
	slices.Sort(s.all)
	out.Min, out.Max = s.all[0], s.all[len(s.all)-1]
	out.Mean = s.sum / time.Duration(len(s.all))
	out.P01, out.P50, out.P99 = quantile(s.all, 0.01), quantile(s.all, 0.5), quantile(s.all, 0.99)
	return out
}

// quantile of a sorted list, by the nearest rank.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// inFlight is the greatest number of spans that overlap; they are sorted by
// start. A request that starts when another ends does not overlap it.
func inFlight(spans []span) int {
	ends := make([]int64, len(spans))
	for i, s := range spans {
		ends[i] = s.end
	}
	slices.Sort(ends)
	most, ended := 0, 0
	for i, s := range spans {
		for ended < i && ends[ended] <= s.start {
			ended++
		}
		most = max(most, i+1-ended)
	}
	return most
}
