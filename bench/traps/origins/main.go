// Command origins crawls hosts that lie in their robots.txt, validators, feeds, sitemaps, canonical
// links, cookies and names, with a whole millrace, and says what each of them was asked for.
//
//	go run ./bench/traps/origins -time 3m -delay 200ms
//
// Goals: what a hostile origin costs, what is lost of its ordinary pages, and whether the delay
// held as the origin saw it.
//
// How it works: the web of traps.Origins; re-crawls and feeds as often as the settings allow.
//
// Promises: times are those at which requests arrived at the origin.
//
// On failure: an error of the crawl ends it with status 1.
//
// Limits: one process, plain HTTP.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"millrace/bench/traps"
	"millrace/bench/traps/crawl"
	"millrace/cmd/wire"
)

func main() {
	most := flag.Duration("time", 3*time.Minute, "of the crawl, at most")
	delay := flag.Duration("delay", 200*time.Millisecond, "between two requests to a host")
	often := flag.Duration("recrawl", time.Minute, "budget of re-crawls and least time between two fetches of a page or feed; 0s: nothing is fetched again")
	names := flag.String("sites", "", "only these, with commas between; empty: all")
	keep := flag.String("keep", "", "directory for the data of the crawl, which stays; empty: none")
	flag.Parse()
	if err := run(*most, *delay, *often, strings.Split(*names, ","), *keep); err != nil {
		fmt.Fprintln(os.Stderr, "origins:", err)
		os.Exit(1)
	}
}

func run(most, delay, often time.Duration, names []string, keep string) error {
	dir := keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "origins"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	var sites []traps.Site
	for _, s := range traps.Origins() {
		if names[0] == "" || slices.Contains(names, strings.TrimSuffix(s.Name, ".test")) {
			sites = append(sites, s)
		}
	}
	if len(sites) == 0 {
		return fmt.Errorf("no site is called %s", strings.Join(names, " or "))
	}
	w, err := traps.Serve(sites...)
	if err != nil {
		return err
	}
	defer w.Close()
	var seeds []string
	for _, s := range sites {
		seeds = append(seeds, "http://"+s.Name+"/")
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	set := func(c *wire.Config) {
		c.Delay, c.Scope, c.Recrawl = delay, "site", often
		if often > 0 {
			c.RecrawlMin, c.FeedMin = max(often, time.Minute), max(often, time.Minute)
		}
	}
	at := crawl.Place{Addr: w.Addr(), Seeds: seeds, Dir: filepath.Join(dir, "data")}
	if err := crawl.From(context.Background(), at, most, set, log); err != nil {
		return err
	}
	report(w)
	return nil
}

// report prints a row for each site; a site with many hosts has the least of their gaps.
func report(w *traps.Web) {
	paces := w.Paces()
	fmt.Println("| site | hosts | requests | of robots.txt | ordinary pages found | beside them | least gap | at once |\n|---|---|---|---|---|---|---|---|")
	for _, c := range w.Counts() {
		hosts, sum := 0, traps.Pace{}
		for host, p := range paces {
			if host != c.Site && !strings.HasSuffix(host, "."+c.Site) {
				continue
			}
			hosts++
			sum.Robots, sum.AtOnce = sum.Robots+p.Robots, max(sum.AtOnce, p.AtOnce)
			if p.Least > 0 && (sum.Least == 0 || p.Least < sum.Least) {
				sum.Least = p.Least
			}
		}
		fmt.Printf("| %s | %d | %d | %d | %d of %d | %d | %d ms | %d |\n", c.Site, hosts, c.Requests, sum.Robots, c.Found, c.Honest, c.Extra, sum.Least.Milliseconds(), sum.AtOnce)
	}
}
