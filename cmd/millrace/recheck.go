package main

import (
	"context"
	"strings"

	"millrace/cmd/settings"
)

// recheckOptions are those of recheck.
type recheckOptions struct {
	Prefix bool `name:"prefix" help:"everything known below the URLs too"`
}

func recheckCommand() command {
	var o recheckOptions
	cmd := command{
		name: "recheck", args: "URL…", about: "fetch URLs again now, in their host's turn",
		long: `
The next to be fetched on their hosts, before everything that waits there. If the crawl is
stopped, they are fetched when it runs again.`,
		examples: `
millrace recheck https://example.com/news
millrace recheck --prefix https://example.com/docs/`,
		settings: looking(), own: &o, section: settings.Section{Title: "What is fetched", Names: []string{"prefix"}},
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
		return c.ask(ctx, func(a *client) error {
			var out struct{ Accepted int64 }
			if err := a.post(ctx, "/api/v1/recheck", in, &out); err != nil {
				return err
			}
			if o.Prefix {
				c.printf("Everything known below %s will be fetched again.\n", plural(out.Accepted, "URL"))
			} else {
				c.printf("%s will be fetched again.\n", plural(out.Accepted, "URL"))
			}
			return nil
		})
	}
	return cmd
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
