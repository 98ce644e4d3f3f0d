package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"millrace/bench/figures"
	"millrace/topics"
)

// report holds the settings and the measurements of a crawl.
//
// It is large because it has a field for each figure.
type report struct {
	settings
	began           time.Time
	took, cpu       time.Duration
	load, loadAfter string
	docs, waiting   int64
	subscribed      int
	found           int // searches that found what they should
	missed          []string

	unread  map[string][]int64
	all     []item // that were measured
	lost    []string
	between []time.Duration // two polls of a feed
}

// take takes the items that were published after the first interval and early enough to be found.
func (r *report) take(w *web) {
	w.mu.Lock()
	defer w.mu.Unlock()
	from := r.began.Add(r.every)
	for _, s := range w.sites {
		to := r.began.Add(r.took - r.every - 10*time.Second)
		if s.push {
			to = r.began.Add(r.took - 10*time.Second)
		}
		if r.settings.items > 0 {
			to = from
		}
		for i := 1; i < len(s.polls) && !s.push; i++ {
			r.between = append(r.between, s.polls[i].Sub(s.polls[i-1]))
		}
		for _, it := range s.items {
			switch {
			case it.published.Before(from):
			case !it.found.IsZero():
				r.all = append(r.all, *it)
			case it.published.Before(to):
				r.lost = append(r.lost, it.url)
			}
		}
	}
}

// String is the report as text.
func (r *report) String() string {
	var b strings.Builder
	way := fmt.Sprintf("feeds polled every %s, items of %d of them pushed by a hub to %d subscriptions", r.every, r.hubs, r.subscribed)
	fmt.Fprintf(&b, "%d URLs wait, %d at the end; %d sites, %s; delay %s\n", r.settings.waiting, r.waiting, r.sites, way, r.delay)
	fmt.Fprintf(&b, "%d documents in %s, %.0f a second; processor time %.2f of %d processors; load of the machine %s before, %s after\n", r.docs,
		r.took.Round(time.Second), float64(r.docs)/r.took.Seconds(), r.cpu.Seconds()/r.took.Seconds(), runtime.GOMAXPROCS(0), r.load, r.loadAfter)
	fmt.Fprintf(&b, "%d items found, %d not %v; searches: %d found what they should, %d did not %v\n\n", len(r.all), len(r.lost), r.lost[:min(3, len(r.lost))], r.found, len(r.missed), r.missed)
	for _, pushed := range []bool{false, true} {
		r.table(&b, pushed)
	}
	fmt.Fprintf(&b, "\n| group | unread records p50 | p90 | most |\n|---|---|---|---|\n")
	for _, g := range topics.GroupNames() {
		if list := r.unread[g]; len(list) > 0 {
			slices.Sort(list)
			fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", g, list[len(list)/2], list[len(list)*9/10], list[len(list)-1])
		}
	}
	return b.String()
}

// table prints how long each step took for the items that were polled or pushed.
func (r *report) table(b *strings.Builder, pushed bool) {
	var items []item
	for _, it := range r.all {
		if it.pushed == pushed {
			items = append(items, it)
		}
	}
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "| %d items, from | to | p50 | p90 | p99 | most |\n|---|---|---|---|---|---|\n", len(items))
	line := func(from, to string, of func(item) (time.Time, time.Time)) {
		var list []time.Duration
		for _, it := range items {
			a, z := of(it)
			list = append(list, z.Sub(a))
		}
		row(b, from, to, list)
	}
	goal, came := 5*time.Second, "pushed"
	if !pushed {
		goal, came = r.every+goal, "listed"
		row(b, "poll", "next poll", r.between)
		line("published", "listed", func(it item) (time.Time, time.Time) { return it.published, it.listed })
	}
	line(came, "fetched", func(it item) (time.Time, time.Time) { return it.listed, it.fetched })
	line("fetched", "docs.extracted", func(it item) (time.Time, time.Time) { return it.fetched, it.extracted })
	line("docs.extracted", "docs.unique", func(it item) (time.Time, time.Time) { return it.extracted, it.unique })
	line("docs.unique", "found", func(it item) (time.Time, time.Time) { return it.unique, it.found })
	line("**"+came+"**", "**found**", func(it item) (time.Time, time.Time) { return it.listed, it.found })
	line("**published**", "**found**", func(it item) (time.Time, time.Time) { return it.published, it.found })
	late := 0
	for _, it := range items {
		if it.found.Sub(it.published) > goal {
			late++
		}
	}
	fmt.Fprintf(b, "\n%d of %d were found within %s (goal: 99 of 100)\n\n", len(items)-late, len(items), goal)
}

func row(b *strings.Builder, from, to string, list []time.Duration) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", from, to, figures.Quantile(list, .5), figures.Quantile(list, .9), figures.Quantile(list, .99), figures.Quantile(list, 1))
}
