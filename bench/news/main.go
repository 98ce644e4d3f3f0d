// Command news measures how long an item of a feed takes until it can be found, while a million
// other URLs wait and the crawl runs as fast as it can.
//
//	go run ./bench/news           half of the feeds are polled, the items of the others are pushed
//	go run ./bench/news -push     their hub pushes the items of all (WebSub)
//	go run ./bench/news -hubs 0   all are polled
//
// # Goals
//
// The figure is the time that a reader waits: from the moment at which a site lists an item to the
// moment at which a search has its page. Goals (issue 16): polled, 99 of 100 within the poll
// interval and 5 s; pushed, within 5 s.
//
// # How it works
//
// A crawl with the embedded broker and store, all groups, wired as `millrace run` wires it. Before
// it starts, its store gets hosts of a synthetic web (package wide) with 100 URLs each that wait,
// so that every processor is in use for as long as it is measured. Beside them stand sites with a
// feed. Each publishes one item in each poll interval, at a random moment.
//
// Of each item the origin notes when it was published, when an answer first listed it, and when its
// page was fetched; followers of docs.extracted and docs.unique note when its document came there.
// Search has it when the shard of its partition, as searches see it, is past that offset. Of one
// item in askEach a search for its address is made as well, to prove that.
//
// # Promises
//
// An item that was published and is not found counts: it is listed as missing, unless it was
// published less than an interval and 10 s before the end.
//
// # On failure
//
// The crawl's warnings go to standard error; an error ends the program with status 1.
//
// # Limits
//
// Origin and crawl share the processors; the origin takes a few percent of them. On a machine that
// does other work every stage is slower by as much: the report says how much processor time the
// crawl got. The first interval is not measured, because it finds the feeds.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"time"

	"millrace/cmd/wire"
)

type settings struct {
	waiting int           // URLs
	sites   int           // with a feed
	every   time.Duration // the poll interval
	delay   time.Duration // of each host
	most    time.Duration // how long
	items   int           // found items that end it; 0: none
	hubs    int           // sites whose items a hub pushes
	dir     string
}

func main() {
	var s settings
	flag.IntVar(&s.waiting, "waiting", 1_000_000, "URLs that wait when the crawl begins")
	flag.IntVar(&s.sites, "sites", 60, "sites with a feed")
	flag.DurationVar(&s.every, "every", time.Minute, "poll interval of the feeds (--feed-min and --feed-max), at least 1m")
	flag.DurationVar(&s.delay, "delay", time.Second, "--delay")
	flag.DurationVar(&s.most, "for", 4*time.Minute, "how long it crawls")
	flag.IntVar(&s.hubs, "hubs", -1, "sites whose feed has a hub, which pushes its items (WebSub); -1: half of them")
	push := flag.Bool("push", false, "all feeds have a hub")
	flag.StringVar(&s.dir, "dir", "", "directory for the crawl; empty: a temporary one")
	profile := flag.String("cpuprofile", "", "file for a CPU profile")
	flag.Parse()
	if s.hubs < 0 {
		s.hubs = s.sites / 2
	}
	if *push {
		s.hubs = s.sites
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "news:", err)
			os.Exit(1)
		}
		defer pprof.StopCPUProfile()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	wire.Tune()
	r, err := s.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "news:", err)
		os.Exit(1)
	}
	fmt.Print(r)
}
