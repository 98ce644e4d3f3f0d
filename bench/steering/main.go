package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"millrace/bench/miniweb"
	"millrace/bench/traps"
	crawling "millrace/bench/traps/crawl"
	"millrace/cmd/wire"
	"millrace/schema"
)

func main() {
	list := flag.String("list", "", "list of hosts of bench/miniweb, whose names follow; empty: the profiles news and docs")
	cache := flag.String("cache", filepath.Join(os.TempDir(), "millrace-miniweb"), "where their packages are unpacked")
	most := flag.Duration("time", 3*time.Minute, "of each crawl, at most")
	flag.Parse()
	if err := run(context.Background(), *list, *cache, *most, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "steering:", err)
		os.Exit(1)
	}
}

// web is an origin of hosts below .test.
type web struct {
	addr  string
	seeds []string
	pages []string // row keys of what one comes for; empty: whatever is published when everything is followed
	close func() error
}

func serve(ctx context.Context, list, cache string, names []string) (web, error) {
	if list == "" {
		w, err := traps.Serve(traps.Profiles()...)
		if err != nil {
			return web{}, err
		}
		out := web{addr: w.Addr(), close: w.Close}
		for _, s := range w.Sites() {
			out.seeds = append(out.seeds, "http://"+s.Name+"/")
			for _, path := range s.Pages() {
				out.pages = append(out.pages, string(schema.JoinRowKey(schema.HostOf(s.Name), ":http"+path)))
			}
		}
		return out, nil
	}
	hosts, err := miniweb.Load(ctx, list, cache, names...)
	if err != nil {
		return web{}, err
	}
	s, err := miniweb.Serve("127.0.0.1:0", hosts)
	if err != nil {
		return web{}, err
	}
	out := web{addr: s.Addr(), close: s.Close}
	for _, h := range hosts {
		for _, path := range h.Seeds {
			out.seeds = append(out.seeds, "http://"+h.Name+path)
		}
	}
	return out, nil
}

// way is how a web is crawled.
type way struct {
	name string
	set  func(*wire.Config)
}

func ways() []way {
	return []way{
		{"breadth, without learning", func(c *wire.Config) { c.Order, c.Traps = "breadth", false }},
		{"breadth, learning", func(c *wire.Config) { c.Order = "breadth" }},
		{"best first, learning", func(*wire.Config) {}},
	}
}

func run(ctx context.Context, list, cache string, most time.Duration, names []string) error {
	w, err := serve(ctx, list, cache, names)
	if err != nil {
		return err
	}
	defer w.close()
	var base *crawl
	var curves []curve
	fmt.Printf("%-26s %8s %8s %10s %12s %12s\n", "", "fetches", "useful", "found", "useful share", "second half")
	for i, x := range ways() {
		within := most
		if i == 0 && list == "" { // the calendar of the profile news has no end
			within = most / 3
		}
		c, err := crawled(ctx, w, x, within)
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		if base == nil {
			base = c
		}
		f := c.figures(c.wanted(base, w.pages))
		fmt.Printf("%-26s %8d %8d %9.1f%% %11.1f%% %11.1f%%\n", x.name, len(c.fetched), f.useful, 100*f.found, 100*f.share, 100*f.second)
		curves = append(curves, curve{x.name, f.after})
	}
	fmt.Print("\nUseful pages after so many fetches\n\n", plot(curves))
	return nil
}

func crawled(ctx context.Context, w web, x way, most time.Duration) (*crawl, error) {
	dir, err := os.MkdirTemp("", "steering")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	at := crawling.Place{Addr: w.addr, Seeds: w.seeds, Dir: filepath.Join(dir, "data")}
	set := func(c *wire.Config) { c.Scope, c.NoIndex = "host", true; x.set(c) }
	if err := crawling.From(ctx, at, most, set, log); err != nil {
		return nil, err
	}
	return readCrawl(ctx, at.Dir, log)
}

// curve is how many useful pages came after each fetch.
type curve struct {
	name  string
	after []int
}

// plot draws curves over the number of fetches, the first as a, the second as b, ...
func plot(curves []curve) string {
	const width, height = 72, 18
	longest, most := 1, 1
	for _, c := range curves {
		longest = max(longest, len(c.after))
		if n := len(c.after); n > 0 {
			most = max(most, c.after[n-1])
		}
	}
	grid := make([][]byte, height)
	for y := range grid {
		grid[y] = []byte(strings.Repeat(" ", width))
	}
	var b strings.Builder
	for k, c := range curves {
		for x := range width {
			if i := (x + 1) * longest / width; i <= len(c.after) && i > 0 {
				y := height - 1 - (c.after[i-1]*(height-1))/most
				grid[y][x] = byte('a' + k)
			}
		}
	}
	for y, line := range grid {
		fmt.Fprintf(&b, "%6d |%s\n", most*(height-1-y)/(height-1), strings.TrimRight(string(line), " "))
	}
	fmt.Fprintf(&b, "%6s +%s %d\n", "", strings.Repeat("-", width), longest)
	for k, c := range curves {
		fmt.Fprintf(&b, "  %c %s\n", 'a'+k, c.name)
	}
	return b.String()
}
