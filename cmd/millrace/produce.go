package main

import (
	"context"
	"fmt"
	"io"
	"os"

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
		more, err := c.readSeeds(o.File)
		if err != nil {
			return err
		}
		return c.seed(ctx, append(list, more...))
	}
	return cmd
}

// readSeeds reads a list. Lines that are no URLs are reported.
func (c *call) readSeeds(file string) ([]seeds.Seed, error) {
	var in io.Reader
	switch file {
	case "":
		return nil, nil
	case "-":
		in = c.stdin
	default:
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return nil, err
	}
	var list []seeds.Seed
	err = seeds.Read(canon, in, func(s seeds.Seed) error {
		list = append(list, s)
		return nil
	}, func(line int, err error) {
		fmt.Fprintf(c.stderr, "millrace: line %d of the list left out: %s\n", line, inWords(err))
	})
	return list, err
}

// seed appends seeds to an opened crawl.
func (c *call) seed(ctx context.Context, list []seeds.Seed) error {
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
	if err != nil {
		return c.inUse(err)
	}
	defer sys.Close()
	if err := sys.Seed(ctx, list); err != nil {
		return err
	}
	c.printf("Added %s.\n", plural(int64(len(list)), "URL"))
	return nil
}
