package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"millrace/cmd/settings"
	"millrace/ops/web"
)

// recheckOptions are those of recheck.
type recheckOptions struct {
	JSON   bool `name:"json" help:"print the answer as the API gives it"`
	Prefix bool `name:"prefix" help:"everything known below the URLs too: of /a, /a/b and /a?b, not /ab; without a scheme, of http and https"`
}

func recheckCommand() command {
	var o recheckOptions
	cmd := command{
		name: "recheck", args: "URL…", about: "fetch URLs again now, in their host's turn",
		long: `
The next to be fetched on their hosts, before everything that waits there. If the crawl is
stopped, they are fetched when it runs again. A robots.txt is read again before the next page of
its host, and the pages that it refused are tried again.`,
		examples: `
millrace recheck https://example.com/news
millrace recheck --prefix https://example.com/docs/
millrace recheck https://example.com/robots.txt`,
		settings: looking(), own: &o, section: settings.Section{Title: "What is fetched", Names: []string{"prefix", "json"}},
		least: 1, most: -1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if _, err := parseSeeds(c.args); err != nil {
			return err
		}
		in := struct {
			Prefix bool     `json:"prefix"`
			URLs   []string `json:"urls"`
		}{o.Prefix, withScheme(c.args)}
		if o.Prefix { // without a scheme it is both
			in.URLs = c.args
		}
		return c.ask(ctx, func(a *client) error {
			var out web.Rechecked
			if err := a.post(ctx, "/api/v1/recheck", in, &out); err != nil {
				return err
			}
			if o.JSON {
				return errors.Join(c.printJSON(out), notRechecked(out))
			}
			return c.printRechecked(out, o.Prefix)
		})
	}
	return cmd
}

// printRechecked says what will be fetched again; a URL that is not known is a failure.
func (c *output) printRechecked(out web.Rechecked, prefix bool) error {
	switch n := int64(out.Accepted); {
	case n == 0:
	case prefix:
		c.printf("Everything known below %s will be fetched again.\n", plural(n, "URL"))
	default:
		c.printf("%s will be fetched again.\n", plural(n, "URL"))
	}
	if out.Note != "" {
		c.printf("%s\n", out.Note)
	}
	for _, u := range out.Unknown {
		fmt.Fprintf(c.stderr, "millrace: %s: %s\n", printable(u.URL), printable(u.Why))
	}
	return notRechecked(out)
}

// notRechecked is the failure that some URLs are not known.
func notRechecked(out web.Rechecked) error {
	if n := len(out.Unknown); n > 0 {
		return fmt.Errorf("%s will not be fetched again", plural(int64(n), "URL"))
	}
	return nil
}

// withScheme returns URLs as seeds are read: one without a scheme is https.
func withScheme(args []string) []string {
	var out []string
	for _, a := range args {
		if !strings.Contains(a, "://") {
			a = "https://" + a
		}
		out = append(out, a)
	}
	return out
}
