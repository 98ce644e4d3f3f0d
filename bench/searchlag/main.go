// Command searchlag measures how long a page takes from fetch to search while `millrace run` crawls
// as fast as it can.
//
//	go run ./bench/searchlag                                  a synthetic web with a large vocabulary
//	go run ./bench/searchlag -manuals ../shared/data/miniweb/hosts.json python.en.test
//
// # What it turns into what
//
// A crawl (delay 0, embedded broker and store, all groups, wired as `millrace run` wires it)
// becomes the distribution of two times of every document: when the broker took its page
// (pages.fetched, the time of the log), and when search has it. Search has it when the shard of its
// partition, as searches see it, is past the document's offset on docs.unique: looked at every
// lookEvery. Of one document in askEach a search for its address is made as well, to prove that.
//
// # How it works
//
// Origin and crawl are one process: GOMAXPROCS says how many processors both have. The origin costs
// less than a hundredth of the crawl. RESULTS.md holds what it printed.
//
// # Limits
//
// The origin's pages are ready at once, so the crawl is never slowed by it. On a machine that does
// other work every stage is slower by as much; the report says how much processor time the crawl
// got. A document that is published twice (a twin takes over) counts at each time it comes to
// docs.unique, from the last fetch of its own page. What was fetched and is no new document is not
// counted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"millrace/bench/miniweb"
	"millrace/bench/wide"
	"millrace/cmd/wire"
)

type settings struct {
	pages, vocabulary int
	most              time.Duration
	manuals, cache    string
	dir               string
}

func main() {
	var s settings
	flag.IntVar(&s.pages, "pages", 5000, "pages of the synthetic web")
	flag.IntVar(&s.vocabulary, "vocabulary", 1_000_000, "words of the synthetic web")
	flag.DurationVar(&s.most, "for", 10*time.Minute, "end a crawl after this time, even if it is not done")
	flag.StringVar(&s.manuals, "manuals", "", "list of real manuals to crawl instead; the arguments name hosts")
	flag.StringVar(&s.cache, "cache", filepath.Join(os.TempDir(), "millrace-miniweb"), "where manuals are unpacked")
	flag.StringVar(&s.dir, "dir", "", "directory for the crawl; empty: a temporary one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	wire.Tune()
	r, err := s.run(ctx, flag.Args())
	if err == nil {
		fmt.Print(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "searchlag:", err)
		os.Exit(1)
	}
}

// run crawls a web and says how long its pages took.
func (s settings) run(ctx context.Context, names []string) (r *report, err error) {
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "millrace-searchlag-"); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	}
	if s.manuals == "" {
		w := wide.Web{Pages: s.pages, Vocabulary: s.vocabulary}
		server := httptest.NewServer(w)
		defer server.Close()
		return s.measure(ctx, w.String(), server.Listener.Addr().String(), w.Seeds())
	}
	hosts, err := miniweb.Load(ctx, s.manuals, s.cache, names...)
	if err != nil {
		return nil, err
	}
	server, err := miniweb.Serve("127.0.0.1:0", hosts)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	var seeds []string
	for _, h := range hosts {
		for _, path := range h.Seeds {
			seeds = append(seeds, "http://"+h.Name+path)
		}
	}
	return s.measure(ctx, "manuals "+strings.Join(names, " "), server.Addr(), seeds)
}
