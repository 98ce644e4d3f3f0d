package main

import (
	"fmt"
	"strings"
	"time"

	"millrace/ops/watch"
)

// printFreshness says how current the index is, and how fast news comes.
func (c *output) printFreshness(f *watch.Freshness) {
	if f == nil {
		return
	}
	if f.Pages > 0 {
		pages := plural(f.Pages, "page")
		if f.Sampled {
			pages = "a sample of " + plural(int64(f.Rows), "page")
		}
		about := fmt.Sprintf("of %s, copies too, are expected to be unchanged since their last fetch; half were fetched within %s, 99 %% within %s",
			pages, age(f.AgeP50), age(f.AgeP99))
		c.share("current", f.Current, about)
		if b := f.Budget; b != nil {
			c.share("  half budget", b.Half, "would be current in the long run with half of --recrawl's requests")
			c.share("  this one", b.Now, "with this budget")
			c.share("  twice", b.Twice, "with twice as many requests")
		}
		c.printf("%-14s %s\n", "looked at", groups(f.Intervals))
	}
	if a := f.Arrived; a != nil {
		c.line("feed items", a.Items, fmt.Sprintf("searchable in the last hour; half within %.1f s after their feed was read, 99 %% within %.1f s", a.P50, a.P99))
	}
}

func (c *output) share(name string, share float64, about string) {
	c.printf("%-14s %8.1f%%   %s\n", name, 100*share, about)
}

// groups lists how many pages are looked at how often.
func groups(list []watch.IntervalGroup) string {
	var words []string
	for _, g := range list {
		if g.Pages > 0 {
			words = append(words, fmt.Sprintf("%s: %s", g.Name, count(g.Pages)))
		}
	}
	return "every " + strings.Join(words, ", ")
}

// age writes seconds as people say them.
func age(seconds float64) string {
	d := time.Duration(seconds) * time.Second
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
