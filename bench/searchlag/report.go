package main

import (
	"fmt"
	"millrace/bench/figures"
	"runtime"
	"strings"
	"time"
)

// report holds the measurements of a crawl, above all the lag of each document.
type report struct {
	web             string
	began           time.Time
	took, cpu       time.Duration
	load, loadAfter string
	lags            []lag
	left            int // documents that were not in search when the crawl was ended
	unknown         int
	found           int
	missed          []string
}

// windows is into how many parts a crawl is cut, to see whether the times hold throughout.
const windows = 6

// String is the report as text.
func (r *report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d documents in %s, %.0f a second\n", r.web, len(r.lags), r.took.Round(time.Second), float64(len(r.lags))/r.took.Seconds())
	fmt.Fprintf(&b, "processor time %s: %.2f of %d processors; load of the machine %s before, %s after\n",
		r.cpu.Round(100*time.Millisecond), r.cpu.Seconds()/r.took.Seconds(), runtime.GOMAXPROCS(0), r.load, r.loadAfter)
	fmt.Fprintf(&b, "searches: %d found what they should, %d did not %v; %d pages unknown, %d documents not in search at the end\n\n",
		r.found, len(r.missed), r.missed[:min(3, len(r.missed))], r.unknown, r.left)
	fmt.Fprintf(&b, "| fetched (part of the crawl) | documents | to docs.unique p50 | p99 | to search p50 | p99 | most |\n|---|---|---|---|---|---|---|\n")
	for i := range windows {
		from := r.began.Add(r.took * time.Duration(i) / windows)
		r.line(&b, fmt.Sprintf("%d/%d", i+1, windows), from, r.began.Add(r.took*time.Duration(i+1)/windows))
	}
	r.line(&b, "all", r.began, r.began.Add(r.took))
	return b.String()
}

// line tells of what was fetched within some time.
func (r *report) line(b *strings.Builder, name string, from, to time.Time) {
	var unique, search []time.Duration
	for _, l := range r.lags {
		if !l.fetched.Before(from) && l.fetched.Before(to) {
			unique, search = append(unique, l.unique), append(search, l.search)
		}
	}
	if len(search) == 0 {
		return
	}
	fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %s | %s |\n", name, len(search),
		figures.Quantile(unique, 0.5), figures.Quantile(unique, 0.99), figures.Quantile(search, 0.5), figures.Quantile(search, 0.99), figures.Quantile(search, 1))
}
