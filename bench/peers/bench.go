package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"millrace/ops/simweb"
)

// bench runs all crawls.
type bench struct {
	opts     options
	tools    tools
	tmp      string
	progress io.Writer
	crawlers []crawler
}

// result is one crawl.
type result struct {
	crawler string
	line    string // the command
	cost
	report *simweb.Report
}

// results are all crawls.
type results struct {
	opts     options
	tools    tools
	crawlers []crawler
	fast     []result
	polite   map[time.Duration][]result // by latency
	took     time.Duration
}

// latencies of the webs for politeness.
func latencies() []time.Duration { return []time.Duration{0, 200 * time.Millisecond} }

// all does every crawl, one after the other.
func (b *bench) all(ctx context.Context) (*results, error) {
	start := time.Now()
	r := &results{opts: b.opts, tools: b.tools, crawlers: b.crawlers, polite: map[time.Duration][]result{}}
	var err error
	if r.fast, err = b.on(ctx, b.opts.hosts, 0, 0, b.opts.atMost); err != nil {
		return nil, err
	}
	for _, latency := range latencies() {
		if r.polite[latency], err = b.on(ctx, b.opts.polite, latency, time.Second, b.opts.window); err != nil {
			return nil, err
		}
	}
	r.took = time.Since(start)
	return r, nil
}

// on crawls one web with every crawler.
func (b *bench) on(ctx context.Context, hosts int, latency, delay, atMost time.Duration) (list []result, err error) {
	w, err := b.startWeb(ctx, hosts, latency)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.stop()) }()
	for _, c := range b.crawlers {
		fmt.Fprintf(b.progress, "%s: %d hosts, latency %v, delay %v\n", c.name, hosts, latency, delay)
		got, err := b.one(ctx, w, c, delay, atMost)
		if err != nil {
			return nil, err
		}
		list = append(list, got)
	}
	return list, nil
}

// one is a crawl from nothing.
func (b *bench) one(ctx context.Context, w *web, c crawler, delay, atMost time.Duration) (result, error) {
	dir, err := os.MkdirTemp(b.tmp, c.name+"-")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	k := task{origin: w.addr, seeds: w.seeds, file: filepath.Join(b.tmp, "seeds.txt"), dir: dir, delay: delay}
	if err := os.WriteFile(k.file, []byte(strings.Join(w.seeds, "\n")), 0o644); err != nil {
		return result{}, err
	}
	if err := w.reset(ctx); err != nil {
		return result{}, err
	}
	got := result{crawler: c.name, line: c.shown(k, filepath.Dir(b.tools.spider))}
	if got.cost, err = b.crawl(ctx, c, k, atMost); err != nil {
		return result{}, err
	}
	got.report, err = w.judge(ctx, max(delay, time.Second))
	return got, err
}

// pages are the different pages that were asked for.
func (r result) pages() int { return r.report.Requests - r.robots() - r.report.Repeats.Requests }

func (r result) robots() int { return r.report.Robots.Fetched }

// perPage divides by pages; nothing by none.
func (r result) perPage(n float64) float64 {
	if r.pages() < 1 {
		return 0
	}
	return n / float64(r.pages())
}
