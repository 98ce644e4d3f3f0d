package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"text/tabwriter"

	"millrace/ops/web"
)

// rankOptions are those of ranks.
type rankOptions struct {
	JSON  bool `name:"json" help:"print the answer as the API gives it"`
	Top   int  `name:"top" help:"pages or hosts at most"`
	Hosts bool `name:"hosts" help:"rank hosts, not pages"`
}

func ranksCommand() command {
	o := rankOptions{Top: 20}
	cmd := command{
		name: "ranks", about: "the pages, or hosts, with the highest PageRank",
		long: `
Values are in the form PR = (1-d) + d * sum(PR/C), with d = .85: a page that nobody links
to has 0.15. They are kept up to date while the crawl goes on, and are exact shortly
after it rests. Links that ask not to be followed do not count.`,
		examples: `
millrace ranks --top 100
millrace ranks --hosts --json`,
		settings: looking(), own: &o, section: answerSection("json", "top N", "hosts"),
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if o.Top < 1 || o.Top > 10_000 {
			return misuse("--top must be from 1 to 10000")
		}
		q := url.Values{"top": {strconv.Itoa(o.Top)}}
		if o.Hosts {
			q.Set("by", "host")
		}
		return show(ctx, c, "/api/v1/ranks", q, o.JSON, func(out web.Ranks) error { return c.printRanks(out, o.Hosts) })
	}
	return cmd
}

func (c *output) printRanks(out web.Ranks, hosts bool) error {
	if len(out.Ranks) == 0 {
		c.printf("Nothing is ranked yet: no page that was fetched has links from others, or the group ranks has not run.\n")
		return nil
	}
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	for _, r := range out.Ranks {
		name := r.URL
		if hosts {
			name = r.Host
		}
		fmt.Fprintf(w, "%.6f\t%s\n", r.Value, printable(name))
	}
	return w.Flush()
}
