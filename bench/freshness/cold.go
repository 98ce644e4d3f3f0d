package main

import "fmt"

// coldDays is how long a cold start is followed.
const coldDays = 30

// coldModel is a web of which nothing is known on day 0, when all its pages have just been
// fetched; kinds is how many kinds of pages a host has (model.Kinds).
func coldModel(kinds int) model {
	m := defaultModel()
	m.Days, m.From, m.Kinds = coldDays, 0, kinds
	return m
}

// byDay is the freshness of each day, as a ratio to the optimum with known rates in its steady
// state, over all webs.
func byDay(m model, mk func() rule, x float64, first, seeds int) (out, used []float64) {
	used = make([]float64, coldDays)
	fresh, all, best := make([]float64, coldDays), make([]float64, coldDays), 0.0
	for seed := first; seed < first+seeds; seed++ {
		for k := range m.Hosts {
			best += bestFreshness(newHost(&m, uint64(seed), uint64(k), x)) / float64(seeds*m.Hosts)
			h := newHost(&m, uint64(seed), uint64(k), x)
			t := simulate(mk(), h)
			for d := range fresh {
				fresh[d] += t.days[d].fresh
				all[d] += t.days[d].all
				used[d] += t.days[d].fetches / float64(seeds*m.Hosts)
			}
		}
	}
	out = make([]float64, coldDays)
	for d := range out {
		out[d] = fresh[d] / all[d] / best
	}
	return out, used
}

// settled is the first day from which on the freshness of each day up to the end is at least
// goal; -1 if there is none.
func settled(days []float64, goal float64) int {
	at := -1
	for d := len(days) - 1; d >= 0 && days[d] >= goal; d-- {
		at = d + 1 // days are counted from 1
	}
	return at
}

// cold prints how a crawl begins that knows nothing, and returns its curves.
func cold(first, seeds int) map[string][]float64 {
	fmt.Print("\nCold start: freshness of single days / optimum\n\n| budget | day 2 | 4 | 6 | 8 | 10 | 15 | 20 | 30 | lowest | from which day on .97 |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	curves := map[string][]float64{}
	for _, x := range budgets() {
		for _, kinds := range []int{0, 5} {
			days, used := byDay(coldModel(kinds), func() rule { return &shipped{} }, x, first, seeds)
			name := fmt.Sprintf("x%g", x)
			if kinds > 0 {
				name += fmt.Sprintf(", %d kinds of pages", kinds)
			}
			line, low := "| "+name, 2.0
			for _, d := range []int{2, 4, 6, 8, 10, 15, 20, 30} {
				line += fmt.Sprintf(" | %.3f", days[d-1])
			}
			for _, f := range days {
				low = min(low, f)
			}
			fmt.Printf("%s | %.3f | %d |\n", line, low, settled(days, .97))
			line = "| budget used"
			for _, d := range []int{2, 4, 6, 8, 10, 15, 20, 30} {
				line += fmt.Sprintf(" | %.2f", used[d-1])
			}
			fmt.Println(line + " | | |")
			curves[name] = days
		}
	}
	return curves
}
