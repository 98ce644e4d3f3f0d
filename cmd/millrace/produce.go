package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"millrace/cmd/settings"
	"millrace/cmd/wire"
	"millrace/producers/seeds"
	"millrace/schema"
)

// seedOptions are those of produce seeds.
type seedOptions struct {
	File string `name:"file" help:"list of URLs, one a line; - is standard input"`
}

func seedsCommand() command {
	var o seedOptions
	cmd := command{
		name: "produce seeds", args: "[URL…]", about: "add URLs to a crawl",
		long: `
Their hosts or sites come into scope. Lines of the file that are empty or begin with # are
left out; one that is no URL is reported, and the rest goes on.`,
		examples: `
millrace produce seeds https://example.org/ https://example.net/
zcat urls.gz | millrace produce seeds --file - --brokers kafka:9092 --store cql://scylla:9042/millrace`,
		settings: append(looking(), "scope", "log-level", "log-format"), own: &o, most: -1,
		section: settings.Section{Title: "What is added", Names: []string{"file FILE"}},
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if len(c.args) == 0 && o.File == "" {
			return misuse("no URLs: name some, or a list with --file")
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
		return c.seed(ctx, list, file)
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

// seed appends seeds, and those of a list, to an opened crawl.
func (c *call) seed(ctx context.Context, list []seeds.Seed, more io.Reader) error {
	log, err := c.logger(c.stderr)
	if err != nil {
		return err
	}
	cfg, discard, err := c.place()
	if err != nil {
		return err
	}
	defer discard()
	sys, err := wire.Open(ctx, cfg, log)
	var held *wire.InUseError
	if errors.As(err, &held) {
		return fmt.Errorf("%w: stop it, then begin it again with these URLs", held)
	}
	if err != nil {
		return err
	}
	defer sys.Close()
	n, err := c.sow(ctx, sys, list, more)
	if n > 0 {
		c.printf("Added %s.\n", plural(n, "URL"))
	}
	return err
}

// handful is the number of URLs that are appended together: a list may be longer
// than memory.
const handful = 10_000

// sow appends seeds a handful at a time and returns their number. Lines that are
// no URLs are reported.
func (c *call) sow(ctx context.Context, sys *wire.System, list []seeds.Seed, more io.Reader) (n int64, err error) {
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return 0, err
	}
	flush := func() error {
		if err := sys.Seed(ctx, list); err != nil {
			return err
		}
		n += int64(len(list))
		list = list[:0]
		return nil
	}
	err = seeds.Read(canon, more, func(s seeds.Seed) error {
		if list = append(list, s); len(list) < handful {
			return nil
		}
		return flush()
	}, func(line int, err error) {
		fmt.Fprintf(c.stderr, "millrace: line %d of the list left out: %s\n", line, inWords(err))
	})
	if err != nil {
		return n, err
	}
	return n, flush()
}
