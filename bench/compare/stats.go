package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// key is a row: a benchmark and a unit.
type key struct{ name, unit string }

// samples are the values of both commits.
type samples struct {
	keys   []key // in the order they were first seen
	values map[key]*[2][]float64
}

func newSamples() *samples { return &samples{values: map[key]*[2][]float64{}} }

// read takes the benchmark lines out of what a run of commit i printed, and
// returns the number of rows so far.
func (s *samples) read(i int, text string) int {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		if _, err := strconv.ParseUint(f[1], 10, 64); err != nil {
			continue
		}
		for j := 2; j+1 < len(f); j += 2 {
			v, err := strconv.ParseFloat(f[j], 64)
			if err != nil {
				break
			}
			s.add(i, key{f[0], f[j+1]}, v)
		}
	}
	return len(s.keys)
}

func (s *samples) add(i int, k key, v float64) {
	if s.values[k] == nil {
		s.keys = append(s.keys, k)
		s.values[k] = &[2][]float64{}
	}
	s.values[k][i] = append(s.values[k][i], v)
}

const (
	surely = 0.01 // probability of a false difference in a row
	fewest = 5    // runs of each that can fall below it: 2 of 252 ways to mix them
)

func (s *samples) print(w io.Writer, commits []string) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "benchmark\tunit\t%s\t±\t%s\t±\tchange\tp\tverdict\t\n", commits[0], commits[1])
	for _, k := range s.keys {
		v := s.values[k]
		old, now := v[0], v[1]
		if len(old) == 0 || len(now) == 0 {
			fmt.Fprintf(t, "%s\t%s\t\t\t\t\t\t\tonly in one\t\n", k.name, k.unit)
			continue
		}
		slices.Sort(old)
		slices.Sort(now)
		p, verdict, change := equal(old, now), "~", "~"
		a, b := quantile(old, 0.5), quantile(now, 0.5)
		if a != 0 {
			change = fmt.Sprintf("%+.1f %%", 100*(b-a)/a)
		}
		if p < surely {
			verdict = "differs"
		}
		fmt.Fprintf(t, "%s\t%s\t%.4g\t%s\t%.4g\t%s\t%s\t%.3f\t%s\t\n", k.name, k.unit, a, spread(old), b, spread(now), change, p, verdict)
	}
	return t.Flush()
}

// spread is half the range between the quartiles, as a part of the median.
func spread(sorted []float64) string {
	m := quantile(sorted, 0.5)
	if m == 0 {
		return "~"
	}
	return fmt.Sprintf("%.1f %%", 50*(quantile(sorted, 0.75)-quantile(sorted, 0.25))/m)
}

// quantile of a sorted list, between its values where it falls there.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// equal is the probability that two samples of one distribution are at least as
// far from evenly mixed as these: the share of all ways to divide their values in
// two whose sum of ranks is as far from its mean. Equal values share their mean
// rank, so ranks are doubled to stay whole.
func equal(a, b []float64) float64 {
	all := slices.Sorted(slices.Values(slices.Concat(a, b)))
	var ranks []int
	sum := 0
	for _, v := range all {
		first, _ := slices.BinarySearch(all, v)
		last := first
		for last+1 < len(all) && all[last+1] == v {
			last++
		}
		ranks = append(ranks, first+last+2)
	}
	for _, v := range a {
		i, _ := slices.BinarySearch(all, v)
		sum += ranks[i]
	}
	mean := len(a) * (len(all) + 1) // of doubled ranks
	extreme, ways := 0.0, 0.0
	for s, n := range divisions(ranks, len(a)) {
		ways += n
		if abs(s-mean) >= abs(sum-mean) {
			extreme += n
		}
	}
	return extreme / ways
}

// divisions counts the choices of k ranks by their sum.
func divisions(ranks []int, k int) map[int]float64 {
	count := make([]map[int]float64, k+1)
	for i := range count {
		count[i] = map[int]float64{}
	}
	count[0][0] = 1
	for _, r := range ranks {
		for i := k; i > 0; i-- {
			for s, n := range count[i-1] {
				count[i][s+r] += n
			}
		}
	}
	return count[k]
}

func abs(n int) int { return max(n, -n) }
