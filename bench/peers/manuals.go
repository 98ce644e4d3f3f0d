package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"millrace/bench/miniweb"
	"millrace/bench/outside"
)

// manualSites are the sites of the job on real pages: 4,757 pages of 40 KB on average.
const manualSites = "python.en.test,postgres.en.test,kernel.en.test"

// manual is a crawl of real pages.
type manual struct {
	crawler string
	line    string
	pages   int // different pages of HTML that were answered with 200
	cost
}

// manuals does the same job on real pages, crawl, main text and index, with millrace and with the
// parts a Go programmer would put together, each rounds times, in turn; or with those that are
// named.
func (b *bench) manuals(ctx context.Context, rounds int) (list []manual, err error) {
	data, err := outside.Dir("miniweb")
	if err != nil {
		return nil, err
	}
	hosts, err := miniweb.Load(ctx, filepath.Join(data, "hosts.json"), filepath.Join(os.TempDir(), "millrace-miniweb"), strings.Split(b.opts.sites, ",")...)
	if err != nil {
		return nil, err
	}
	both := []crawler{assembled(b.tools), millrace(b.tools)}
	for _, name := range b.opts.crawlers {
		if !slices.ContainsFunc(both, func(c crawler) bool { return c.name == name }) {
			return nil, fmt.Errorf("no crawler %q of manuals; there are %s and %s", name, both[0].name, both[1].name)
		}
	}
	for range rounds {
		for _, c := range both {
			if names := b.opts.crawlers; len(names) > 0 && !slices.Contains(names, c.name) {
				continue
			}
			fmt.Fprintf(b.progress, "%s: manuals\n", c.name)
			got, err := b.manual(ctx, hosts, c)
			if err != nil {
				return nil, err
			}
			list = append(list, got)
		}
	}
	return list, nil
}

func (b *bench) manual(ctx context.Context, hosts []miniweb.Host, c crawler) (got manual, err error) {
	web, err := miniweb.Serve("127.0.0.1:0", hosts)
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, web.Close()) }()
	dir, err := os.MkdirTemp(b.tmp, c.name+"-")
	if err != nil {
		return got, err
	}
	defer os.RemoveAll(dir)
	k := task{origin: web.Addr(), file: filepath.Join(b.tmp, "seeds.txt"), dir: dir}
	for _, h := range hosts {
		k.seeds = append(k.seeds, "http://"+h.Name+h.Seeds[0])
	}
	if err := os.WriteFile(k.file, []byte(strings.Join(k.seeds, "\n")), 0o644); err != nil {
		return got, err
	}
	got = manual{crawler: c.name, line: c.shown(k, filepath.Dir(b.tools.spider))}
	if got.cost, err = b.crawl(ctx, c, k, b.opts.atMost); err != nil {
		return got, err
	}
	got.pages = answered(web.Requests())
	return got, nil
}

// answered counts the different pages of HTML.
func answered(requests []miniweb.Request) int {
	seen := map[string]bool{}
	for _, r := range requests {
		if r.Status == 200 && strings.HasPrefix(r.Type, "text/html") {
			seen[r.Host+r.Path] = true
		}
	}
	return len(seen)
}

// printManuals writes the table of the job on real pages.
func printManuals(w io.Writer, o options, t tools, list []manual, took time.Duration) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# The same job on real pages: millrace, and parts put together\n\n")
	fmt.Fprintf(&b, "`go run ./bench/peers%s`, one run of %.0f s, %s, %d cores, %s/%s.\n\n",
		o.flags(), took.Seconds(), runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&b, "Crawl all of %s, take the main text of every page, index it, end. CPU: user and system time\n"+
		"of the process, start and end included. In turn, on the same machine; the sites are served by another process.\n\n", strings.ReplaceAll(o.sites, ",", ", "))
	fmt.Fprint(&b, "| crawler | pages | CPU s | CPU ms/page | wall s | RSS MB | disk KB/page | |\n|---|---|---|---|---|---|---|---|\n")
	per := func(n float64, x manual) float64 { return n / float64(max(x.pages, 1)) }
	total, pages, rss := map[string]time.Duration{}, map[string]int{}, map[string]int64{}
	for _, x := range list {
		fmt.Fprintf(&b, "| %s | %d | %.1f | %.2f | %.0f | %.0f | %.1f | %s |\n", x.crawler, x.pages, x.cpu.Seconds(),
			per(x.cpu.Seconds()*1e3, x), x.wall.Seconds(), float64(x.rss)/1e6, per(float64(x.disk)/1e3, x), result{cost: x.cost}.ending())
		total[x.crawler] += x.cpu
		pages[x.crawler] += x.pages
		rss[x.crawler] = max(rss[x.crawler], x.rss)
	}
	if p, m := pages["assembled"], pages["millrace"]; p > 0 && m > 0 {
		ratio := (total["assembled"].Seconds() / float64(p)) / (total["millrace"].Seconds() / float64(m))
		fmt.Fprintf(&b, "\nAssembled / millrace: CPU a page **%.1f**, memory **%.1f**.\n", ratio, float64(rss["assembled"])/float64(max(rss["millrace"], 1)))
	}
	fmt.Fprintf(&b, "\n- assembled: %s\n- millrace %s\n\n```\n", t.versions["assembled"], t.versions["millrace"])
	for i, x := range list {
		if i < 2 {
			fmt.Fprintln(&b, x.line)
		}
	}
	fmt.Fprint(&b, "```\n")
	_, err := io.WriteString(w, b.String())
	return err
}
