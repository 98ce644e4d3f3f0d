// Command peers crawls one synthetic web with millrace, colly and Scrapy, and
// turns what the web's judge saw of each into one table.
//
//	go run ./bench/peers                          a table
//	go run ./bench/peers -out bench/peers/RESULTS.md
//	go run ./bench/peers -manuals 1
//
// It builds millrace, the web and colly's crawler (a module of its own, so that
// millrace does not depend on it), and installs Scrapy with pip; go.sum and
// scrapy/requirements.txt pin the versions. First every crawler fetches the whole
// web `fast` as fast as it can, then, for a while, a web of more hosts with one
// second between the requests to a host, without and with latency.
//
// With -manuals it does a whole job on real pages instead, so many times: crawl, main text, index.
// The peer there is a program of its own (assembled) of colly, go-trafilatura and bleve.
//
// Promises: each crawler runs alone; it is charged the CPU time of its processes
// from start to exit; the web runs in a process that is not charged.
//
// On failure: a crawler that fails or is not done in time is shown as such.
//
// Caveats: the three do not do the same work. colly and Scrapy write JSON lines
// and forget what is queued; millrace keeps its frontier and log on disk, removes
// duplicates, and indexes. The judge counts robots.txt as a request of its host,
// which colly and Scrapy do not in the same way. Needs python3 with venv, a
// package index or what pip is configured to use, and a Unix.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// options say how much is done.
type options struct {
	out      string
	work     string        // where programs are built
	hosts    int           // of the web for throughput, 200 pages each
	polite   int           // hosts of the web for politeness
	window   time.Duration // length of a run for politeness
	atMost   time.Duration // of a run for throughput
	manuals  int           // rounds of the job on real pages; 0: none, the synthetic webs
	sites    string        // of the job on real pages
	crawlers []string
}

func defaultOptions() options {
	return options{hosts: 20, polite: 30, window: 20 * time.Second, atMost: 90 * time.Second, sites: manualSites}
}

func main() {
	o := defaultOptions()
	flag.StringVar(&o.out, "out", "", "file for the results; none: standard output")
	flag.StringVar(&o.work, "work", "", "directory for the programs, kept; none: a temporary one")
	flag.IntVar(&o.hosts, "hosts", o.hosts, "hosts of 200 pages in the web for throughput")
	flag.IntVar(&o.polite, "polite", o.polite, "hosts in the web for politeness")
	flag.DurationVar(&o.window, "window", o.window, "length of a run for politeness")
	flag.DurationVar(&o.atMost, "at-most", o.atMost, "a run for throughput is stopped after it")
	flag.IntVar(&o.manuals, "manuals", 0, "do the job on real pages so many times, instead of the synthetic webs")
	flag.StringVar(&o.sites, "sites", o.sites, "hosts of bench/miniweb for the job on real pages, with commas")
	flag.Parse()
	o.crawlers = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out, progress io.Writer) (err error) {
	if o.manuals > 0 && o.atMost == defaultOptions().atMost {
		o.atMost = 30 * time.Minute
	}
	if o.hosts < 1 || o.manuals < 0 || o.polite < 1 || o.window <= 0 || o.atMost <= 0 {
		return errors.New("numbers of hosts and lengths must be positive")
	}
	tmp, err := os.MkdirTemp("", "millrace-peers-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	if o.work == "" {
		o.work = filepath.Join(tmp, "work")
	}
	tools, err := build(ctx, o.work, o.manuals == 0, progress)
	if err != nil {
		return err
	}
	names := o.crawlers
	if o.manuals > 0 {
		names = nil // see manuals
	}
	list, err := chosen(tools, names)
	if err != nil {
		return err
	}
	b := &bench{opts: o, tools: tools, tmp: tmp, progress: progress, crawlers: list}
	print, err := b.measure(ctx)
	if err != nil {
		return err
	}
	if o.out == "" {
		return print(out)
	}
	f, err := os.Create(o.out)
	if err != nil {
		return err
	}
	return errors.Join(print(f), f.Close())
}

// measure does what was asked for and returns what writes it down.
func (b *bench) measure(ctx context.Context) (func(io.Writer) error, error) {
	start := time.Now()
	if b.opts.manuals == 0 {
		res, err := b.all(ctx)
		if err != nil {
			return nil, err
		}
		return res.print, nil
	}
	list, err := b.manuals(ctx, b.opts.manuals)
	return func(w io.Writer) error { return printManuals(w, b.opts, b.tools, list, time.Since(start)) }, err
}
