// Command path measures what a page costs on the whole way from URL to index, in
// CPU time of the crawling process, beside the cost of the bare parts on the same
// records in the same run.
//
//	go run ./bench/path -results bench/path/RESULTS.md
//
// It starts itself again for every part, so that each has a process and a
// getrusage of its own: the origin (simweb profile fast: 20 KB pages, 30 links),
// a crawl with every group, a crawl without the index, the bare parts, and a
// crawl that has nothing to do. With -brokers it is one crawl on these servers instead,
// whose requests to the store are counted. The crawl is wired as `millrace run` wires it,
// with its web server and watch; delay 0, embedded broker and store.
//
// The bare parts read the records that the first crawl left in its log: the pages
// through a broker and back, html.Parse of their bodies, the rows of its store
// through a bare Pebble, its documents through bleve as it comes and through our
// own shard.
//
// Caveats: CPU time on a shared machine rises with the load beside it (caches,
// hyperthreads): compare lines of one run. Shares come from a CPU profile (100 Hz):
// a share below 1 % is noise. What a crawl leaves to background work at its end
// (compaction, merging) is counted only until it is closed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"millrace/bench/figures"
	"os"
	"os/signal"
	"path/filepath"
)

// settings holds the flags of this program, which each role gets on its command line.
type settings struct {
	role    string
	pages   int
	dir     string // of the crawl
	origin  string // host:port
	profile string // file for a CPU profile
	noIndex bool
	brokers string // host:port,host:port; empty: the embedded broker and store
	store   string // cql://host:port/keyspace
	servers string // processes of broker and store: id,id
}

func main() {
	var s settings
	flag.StringVar(&s.role, "role", "", "internal: which part this process is")
	flag.IntVar(&s.pages, "pages", 2000, "pages to crawl, in steps of 200")
	flag.StringVar(&s.dir, "dir", "", "directory for the crawls; empty: a temporary one")
	flag.StringVar(&s.origin, "origin", "", "internal: address of the origin")
	flag.StringVar(&s.profile, "profile", "", "file for the CPU profile of the crawl with all groups (of the only role, if one is named); empty: not kept")
	flag.BoolVar(&s.noIndex, "no-index", false, "internal: leave the index group out")
	flag.StringVar(&s.brokers, "brokers", "", "brokers to crawl over, host:port,host:port, which lose their topics; empty: embedded")
	flag.StringVar(&s.store, "store", "", "with -brokers: cql://host:port,host:port; each run makes a keyspace")
	flag.StringVar(&s.servers, "servers", "", "with -brokers: ids of the processes of brokers and nodes, id,id, for their CPU time")
	results := flag.String("results", "", "file for the tables, beside standard output")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := s.run(ctx, *results); err != nil {
		fmt.Fprintln(os.Stderr, "path:", err)
		os.Exit(1)
	}
}

func (s settings) run(ctx context.Context, results string) error {
	switch s.role {
	case "":
		return s.measure(ctx, results)
	case "origin":
		return s.serveOrigin()
	case "crawl":
		return answer(s.crawl(ctx))
	case "idle":
		return answer(s.idle(ctx))
	case "parts":
		return answer(s.parts(ctx))
	}
	return fmt.Errorf("no role %q", s.role)
}

// measure runs all parts, one after the other, and prints what they cost.
func (s settings) measure(ctx context.Context, results string) (err error) {
	if s.pages < pagesPerHost {
		return fmt.Errorf("at least %d pages", pagesPerHost)
	}
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "millrace-path-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	}
	o, err := startOrigin(ctx, s)
	if err != nil {
		return err
	}
	defer o.stop()
	s.origin = o.addr
	r := report{load: figures.LoadAverage(), settings: s}
	if s.brokers != "" {
		return s.onServers(ctx, &r, results)
	}
	whole := s
	whole.dir = filepath.Join(s.dir, "whole")
	if whole.profile == "" {
		whole.profile = filepath.Join(s.dir, "whole.pprof")
	}
	if err := ask(ctx, whole.as("crawl"), &r.whole); err != nil {
		return err
	}
	bare := s
	bare.dir, bare.noIndex, bare.profile = filepath.Join(s.dir, "without"), true, filepath.Join(s.dir, "without.pprof")
	if err := ask(ctx, bare.as("crawl"), &r.without); err != nil {
		return err
	}
	if err := ask(ctx, whole.as("parts"), &r.parts); err != nil {
		return err
	}
	whole.profile = ""
	if err := ask(ctx, whole.as("idle"), &r.idle); err != nil {
		return err
	}
	return r.print(results)
}
