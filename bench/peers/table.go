package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
)

// print writes the results as Markdown.
func (r *results) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# millrace, colly and Scrapy on one synthetic web\n\n")
	fmt.Fprintf(&b, "`go run ./bench/peers%s`, one run of %.0f s, %s, %d cores, %s/%s.\n\n",
		r.opts.flags(), r.took.Seconds(), runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	r.printFast(&b)
	for _, latency := range latencies() {
		r.printPolite(&b, latency)
	}
	r.printSettings(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (o options) flags() string {
	d, s := defaultOptions(), ""
	for _, f := range []struct {
		name    string
		is, was any
	}{{"hosts", o.hosts, d.hosts}, {"polite", o.polite, d.polite}, {"window", o.window, d.window}, {"manuals", o.manuals, d.manuals}, {"sites", o.sites, d.sites}} {
		if f.is != f.was {
			s += fmt.Sprintf(" -%s %v", f.name, f.is)
		}
	}
	return strings.Join(append([]string{s}, o.crawlers...), " ")
}

func (r *results) printFast(w io.Writer) {
	fmt.Fprintf(w, "## As fast as it can: profile `fast`, %d hosts of 200 pages of 20 KB, no delay\n\n", r.opts.hosts)
	fmt.Fprint(w, "CPU: user and system time of the crawler's processes, start and end included. RSS: the largest process.\n")
	fmt.Fprint(w, "Pages: different URLs asked for. Missing, extra, forbidden: against what the web says can be reached.\n\n")
	fmt.Fprint(w, "| crawler | pages | pages per CPU-second | CPU ms/page | pages/s wall | RSS MB | disk KB/page | fetched twice | robots.txt read | missing | extra | forbidden | |\n")
	fmt.Fprint(w, "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, x := range r.fast {
		ms := x.perPage(float64(x.cpu) / float64(time.Millisecond))
		fmt.Fprintf(w, "| %s | %d | %s | %.2f | %.0f | %.0f | %.1f | %d (%.1f %%) | %d | %s | %d | %s |\n",
			x.crawler, x.pages(), perSecond(ms), ms, float64(x.pages())/x.wall.Seconds(), float64(x.rss)/1e6, x.perPage(float64(x.disk))/1e3,
			x.report.Repeats.Requests, 100*x.perPage(float64(x.report.Repeats.Requests)), x.robots(), x.coverage(), x.report.Robots.Disallowed, x.ending())
	}
	fmt.Fprintln(w)
}

// perSecond is how many of what takes ms of a second each go into one.
func perSecond(ms float64) string {
	if ms == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", 1000/ms)
}

// coverage is two columns.
func (r result) coverage() string {
	if r.report.Coverage == nil {
		return "- | -"
	}
	return fmt.Sprintf("%d | %d", r.report.Coverage.Missing, r.report.Coverage.Extra)
}

func (r result) ending() string {
	switch {
	case r.failed != "":
		return "failed: " + strings.ReplaceAll(r.failed, "|", "/")
	case r.cut:
		return fmt.Sprintf("stopped after %.0f s", r.wall.Seconds())
	}
	return ""
}

func (r *results) printPolite(w io.Writer, latency time.Duration) {
	fmt.Fprintf(w, "## One second between requests to a host, latency %v: %d hosts, %v\n\n", latency, r.opts.polite, r.opts.window)
	fmt.Fprint(w, "Gaps between the starts of requests to a host, robots.txt among them, as the web saw them. Early: below 995 ms.\n")
	fmt.Fprint(w, "A crawler that does not count robots.txt is early once a host, with its first page.\n\n")
	fmt.Fprint(w, "| crawler | gaps | mean ms | min | p01 | p50 | p99 | early | at once most | pages before robots.txt | CPU s | |\n")
	fmt.Fprint(w, "|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, x := range r.polite[latency] {
		g := x.report.Hosts
		fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %s | %s | %d | %d | %d | %.1f | %s |\n", x.crawler, g.Gaps, millis(g.Mean), millis(g.Min),
			millis(g.P01), millis(g.P50), millis(g.P99), g.Early, g.MaxInFlight, x.report.Robots.BeforeRead, x.cpu.Seconds(), x.failed)
	}
	fmt.Fprintln(w)
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond))
}

func (r *results) printSettings(w io.Writer) {
	fmt.Fprint(w, "## What was run\n\n")
	for _, c := range r.crawlers {
		fmt.Fprintf(w, "- %s %s: %s\n", c.name, r.tools.versions[c.name], c.about)
	}
	fmt.Fprint(w, "\nWithout delay, then with:\n\n```\n")
	for _, list := range [][]result{r.fast, r.polite[0]} {
		for _, x := range list {
			fmt.Fprintln(w, x.line)
		}
	}
	fmt.Fprint(w, "```\n")
}
