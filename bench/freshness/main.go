package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	seeds := flag.Int("seeds", 4, "made-up webs")
	first := flag.Int("first", 100, "number of the first one; those below 100 were used to choose start values")
	plot := flag.String("plot", "", "directory of the curves")
	only := flag.String("only", "", "cold: only the cold start; else the scenarios with this word in their name: steady, dates, lies")
	flag.Parse()
	if *only == "cold" {
		cold(*first, *seeds)
		return
	}
	if *only != "" {
		if err := some(*only, *first, *seeds); err != nil {
			fmt.Fprintln(os.Stderr, "freshness:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*first, *seeds, *plot); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// budgets are multiples of a host's changes a day.
func budgets() []float64 { return []float64{.2, .5, 1, 2} }

// some prints the figures of millrace in the scenarios whose name contains a word.
func some(word string, first, seeds int) error {
	found := false
	for _, s := range append([]scenario{{"steady", defaultModel()}}, scenarios()...) {
		if !strings.Contains(s.name, word) {
			continue
		}
		found = true
		fmt.Print("| ", s.name)
		for _, x := range budgets() {
			fmt.Print(" | ", measure(s.model, func() rule { return &shipped{} }, x, first, seeds))
		}
		fmt.Println(" |")
	}
	if !found {
		return fmt.Errorf("no scenario is named like %q", word)
	}
	return nil
}

// scenario is a model with a name.
type scenario struct {
	name  string
	model model
}

func scenarios() []scenario {
	with := func(name string, change func(*model)) scenario {
		m := defaultModel()
		change(&m)
		return scenario{name, m}
	}
	return []scenario{
		with("Pareto weights", func(m *model) { m.Pareto = true }),
		with("turnover .1 % a day", func(m *model) { m.Turnover = .001 }),
		with("5 % change at every fetch", func(m *model) { m.Restless = .05 }),
		with("20 % change every 24 h", func(m *model) { m.Daily = .2 }),
		with("true dates for half of the changes", func(m *model) { m.Honest = .5 }),
		with("true dates for all changes", func(m *model) { m.Honest = 1 }),
		with("only lies, one a page and day", func(m *model) { m.Lies = 1 }),
		with("half, and .2 lies a page and day", func(m *model) { m.Honest, m.Lies = .5, .2 }),
	}
}

// figures are what a rule reached at one budget, over all webs.
type figures struct {
	fresh, best, age, used, wrong, hosts float64
}

func measure(m model, mk func() rule, x float64, first, seeds int) figures {
	f := figures{}
	for seed := first; seed < first+seeds; seed++ {
		for k := range m.Hosts {
			f.best += bestFreshness(newHost(&m, uint64(seed), uint64(k), x))
			h := newHost(&m, uint64(seed), uint64(k), x)
			t := simulate(mk(), h)
			f.fresh += t.fresh / t.all
			f.age += t.age / t.all
			f.used += t.fetches / (h.budget * (m.Days - m.From))
			f.wrong += t.wrong / max(t.fetches, 1)
			f.hosts++
		}
	}
	return f
}

func (f figures) String() string {
	return fmt.Sprintf("%.3f (%.2f)", f.fresh/f.best, f.age/f.hosts)
}

func run(first, seeds int, plot string) error {
	fmt.Printf("Webs %d to %d, %d hosts each.\n\n", first, first+seeds-1, defaultModel().Hosts)
	const head = "| x.2 | x.5 | x1 | x2 |\n|---|---|---|---|---|"
	fmt.Println("Freshness / optimum (mean days stale)\n\n| rule " + head)
	curves := map[string][]float64{}
	var names []string
	for _, mk := range []func() rule{func() rule { return &shipped{} }, optimum, uniform, proportional,
		func() rule { return &halves{strict: true} }, func() rule { return &halves{} }} {
		name := mk().name()
		names = append(names, name)
		line := "| " + name
		for _, x := range budgets() {
			f := measure(defaultModel(), mk, x, first, seeds)
			line += " | " + f.String()
			curves[name] = append(curves[name], f.fresh/f.best)
			if _, ours := mk().(*shipped); ours {
				line += fmt.Sprintf(", budget used %.2f", f.used/f.hosts)
			}
		}
		fmt.Println(line + " |")
	}
	if plot != "" {
		if err := os.WriteFile(filepath.Join(plot, "freshness.svg"), []byte(draw(names, curves)), 0o644); err != nil {
			return err
		}
	}
	fmt.Println("\n| millrace, with " + head)
	for _, s := range scenarios() {
		line := "| " + s.name
		for _, x := range budgets() {
			f := measure(s.model, func() rule { return &shipped{} }, x, first, seeds)
			line += " | " + f.String()
			if s.model.Restless > 0 {
				line += fmt.Sprintf(", their part of the fetches %.2f", f.wrong/f.hosts)
			}
		}
		fmt.Println(line + " |")
	}
	return nil
}

// draw makes a plot of the curves: budget (logarithmic) against freshness / optimum.
func draw(names []string, curves map[string][]float64) string {
	const width, height, left, top, low = 640.0, 400.0, 60.0, 20.0, 0.55
	xs := budgets()
	at := func(i int, v float64) (float64, float64) {
		x := left + (width-left-200)*math.Log(xs[i]/xs[0])/math.Log(xs[len(xs)-1]/xs[0])
		return x, top + (height-top-50)*(1.02-v)/(1.02-low)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="sans-serif" font-size="12">`+"\n", width, height)
	for v := .6; v < 1.01; v += .1 {
		x0, y := at(0, v)
		x1, _ := at(len(xs)-1, v)
		fmt.Fprintf(&b, `<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="#ccc"/><text x="20" y="%.0f">%.1f</text>`+"\n", x0, y, x1, y, y+4, v)
	}
	for i, budget := range xs {
		x, _ := at(i, 1)
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="middle">x%g</text>`+"\n", x, height-25, budget)
	}
	fmt.Fprintf(&b, `<text x="%.0f" y="%.0f">budget / changes; freshness / optimum</text>`+"\n", left, height-6)
	colours := []string{"#d00", "#000", "#06c", "#090", "#a60", "#808"}
	for n, name := range names {
		var points []string
		for i, v := range curves[name] {
			x, y := at(i, v)
			points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
		}
		fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>`+"\n", colours[n], strings.Join(points, " "))
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" fill="%s">%s</text>`+"\n", width-185, top+18*float64(n)+10, colours[n], name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
