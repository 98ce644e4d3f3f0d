package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"millrace/cmd/settings"
	"millrace/cmd/wire"
	"millrace/ops/web"
	"millrace/producers/seeds"
	"millrace/schema"
)

// seedOptions are those of produce seeds.
type seedOptions struct {
	File  string `name:"file" help:"list of URLs, one a line; - is standard input"`
	Scope string `name:"scope" help:"widen the scope of the crawl to host, site or any; without it it stays as it is"`
}

func seedsCommand() command {
	var o seedOptions
	cmd := command{
		name: "produce seeds", args: "[URL…]", about: "add URLs to a crawl",
		long: `
Their hosts or sites come into scope; a crawl that runs goes on with them at once. Lines of the
file that are empty or begin with # are left out; one that is no URL is reported, and the rest
goes on.`,
		examples: `
millrace produce seeds https://example.org/ https://example.net/
zcat urls.gz | millrace produce seeds --file - --brokers kafka:9092 --store cql://scylla:9042/millrace`,
		settings: append(looking(), "log-level", "log-format"), own: &o, most: -1,
		section: settings.Section{Title: "What is added", Names: []string{"file FILE", "scope SCOPE"}},
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if len(c.args) == 0 && o.File == "" {
			return misuse("no URLs: name some, or a list with --file")
		}
		if !slices.Contains([]string{"", "host", "site", "any"}, o.Scope) {
			return misuse("--scope: %q is none of host, site, any", o.Scope)
		}
		list, err := parseSeeds(c.args)
		if err != nil {
			return err
		}
		file, err := c.openList(o.File)
		if err != nil {
			return err
		}
		defer file.Close()
		return c.seed(ctx, list, file, o.Scope)
	}
	return cmd
}

// openList opens the list of URLs: - is standard input, "" an empty one.
func (c *call) openList(name string) (io.ReadCloser, error) {
	switch name {
	case "":
		return io.NopCloser(strings.NewReader("")), nil
	case "-":
		return io.NopCloser(c.stdin), nil
	}
	return os.Open(name)
}

// seed appends seeds, and those of a list: through the process that runs the
// crawl, if there is one.
func (c *call) seed(ctx context.Context, list []seeds.Seed, more io.Reader, scope string) error {
	a, err := c.newAdder(ctx, scope)
	if err != nil {
		return err
	}
	defer a.close()
	bar, added := newSowing(c.stderr, more, time.Now()), int64(0)
	kept := int64(0)
	add := func(urls []string) error {
		out, err := a.add(urls)
		if err != nil {
			return err
		}
		for _, u := range out.KeptOut {
			fmt.Fprintf(c.stderr, "millrace: %s: %s\n", printable(u.URL), printable(u.Why))
		}
		kept += int64(len(out.KeptOut))
		added += int64(out.Accepted)
		bar.show(added, time.Now())
		return nil
	}
	_, err = sow(list, bar, add, func(line int, err error) {
		fmt.Fprintf(c.stderr, "millrace: line %d, %s: %s\n", line, quoted(err), inWords(err))
	})
	bar.end()
	if added > 0 {
		c.printf("Added %s.\n", plural(added, "URL"))
		if why := a.note(); why != "" {
			c.printf("%s\n", why)
		}
	}
	if err == nil && kept > 0 {
		err = fmt.Errorf("%s kept out by decisions of operators", plural(kept, "URL"))
	}
	return err
}

// quoted is the text that is no URL.
func quoted(err error) string {
	var refused *schema.URLError
	if !errors.As(err, &refused) {
		return "?"
	}
	return strconv.Quote(printable(refused.Input))
}

// adder adds URLs to a crawl, a handful at a time.
type adder struct {
	add   func(urls []string) (web.Seeded, error)
	note  func() string // why they are not fetched yet; "" if they are
	close func()
}

// newAdder returns an adder over the process that runs the crawl, or over the crawl itself.
func (c *call) newAdder(ctx context.Context, scope string) (*adder, error) {
	if c.cfg.Embedded() && c.holder() != nil {
		return c.addThrough(ctx, scope)
	}
	log, err := c.logger(c.stderr)
	if err != nil {
		return nil, err
	}
	cfg, discard, err := c.place()
	if err != nil {
		return nil, err
	}
	sys, err := wire.Open(ctx, cfg, log)
	if err != nil {
		discard()
		return nil, c.inUse(err)
	}
	return &adder{
		add:   func(urls []string) (web.Seeded, error) { return sys.SeedAllowed(ctx, urls, scope) },
		note:  func() string { return sys.Idler(ctx) },
		close: func() { sys.Close(); discard() },
	}, nil
}

// addThrough returns an adder over the process that has the data directory.
func (c *call) addThrough(ctx context.Context, scope string) (*adder, error) {
	a, err := c.reach(ctx)
	if err != nil {
		return nil, err
	}
	note := ""
	return &adder{
		add: func(urls []string) (web.Seeded, error) {
			var out web.Seeded
			err := a.post(ctx, "/api/v1/seeds", map[string]any{"urls": urls, "scope": scope}, &out)
			note = cmp.Or(out.Note, note)
			return out, err
		},
		note:  func() string { return note },
		close: a.close,
	}, nil
}

// What is added together: a list may be longer than memory, and the API takes
// 10,000 URLs and 1 MB at a time.
const (
	handful      = 5_000
	handfulBytes = 512 << 10
)

// sow adds seeds a handful at a time and returns their number. Lines that are no
// URLs are reported.
func sow(list []seeds.Seed, more io.Reader, add func([]string) error, bad func(int, error)) (n int64, err error) {
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return 0, err
	}
	var urls []string
	size := 0
	flush := func() error {
		if len(urls) == 0 {
			return nil
		}
		if err := add(urls); err != nil {
			return err
		}
		n += int64(len(urls))
		urls, size = urls[:0], 0
		return nil
	}
	take := func(s seeds.Seed) error {
		urls = append(urls, s.URL.String())
		if size += len(s.URL.String()); len(urls) < handful && size < handfulBytes {
			return nil
		}
		return flush()
	}
	for _, s := range list {
		if err := take(s); err != nil {
			return n, err
		}
	}
	if err := seeds.Read(canon, more, take, bad); err != nil {
		return n, err
	}
	return n, flush()
}
