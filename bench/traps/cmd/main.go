// Command traps counts what a crawl spends on seven traps and finds of five honest sites
// that look like them, with and without what it learns from outcomes.
//
//	go run ./bench/traps/cmd -time 60s
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
)

func main() {
	most := flag.Duration("time", time.Minute, "of each crawl, at most")
	only := flag.Bool("learn", false, "only with learning")
	names := flag.String("sites", "", "only these, with commas between; empty: all")
	keep := flag.String("keep", "", "directory for the data of the crawls, which stays; empty: none")
	flag.Parse()
	for _, learn := range []bool{false, true} {
		if *only && !learn {
			continue
		}
		if err := run(*most, learn, strings.Split(*names, ","), *keep); err != nil {
			fmt.Fprintln(os.Stderr, "traps:", err)
			os.Exit(1)
		}
	}
}

func run(most time.Duration, learn bool, names []string, keep string) error {
	dir, done, err := place(keep, learn)
	if err != nil {
		return err
	}
	defer done()
	var sites []traps.Site
	for _, s := range traps.Sites() {
		if slices.Contains(names, strings.TrimSuffix(s.Name, ".test")) {
			sites = append(sites, s)
		}
	}
	w, err := traps.Serve(sites...)
	if err != nil {
		return err
	}
	defer w.Close()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	began := time.Now()
	if err := crawl.Web(context.Background(), w, dir, most, learn, log); err != nil {
		return err
	}
	fmt.Printf("learning %v, %.0f s\n\n| site | requests | beside the honest pages | honest pages found |\n|---|---|---|---|\n", learn, time.Since(began).Seconds())
	for _, c := range w.Counts() {
		fmt.Printf("| %s | %d | %d | %d of %d |\n", c.Site, c.Requests, c.Extra, c.Found, c.Honest)
	}
	fmt.Println()
	return nil
}

// place is where the data of a crawl are.
func place(keep string, learn bool) (dir string, done func(), err error) {
	if keep != "" {
		return filepath.Join(keep, fmt.Sprintf("learn-%v", learn)), func() {}, nil
	}
	dir, err = os.MkdirTemp("", "traps")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}
