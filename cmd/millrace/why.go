package main

import (
	"context"
	"net/url"

	"millrace/ops/web"
)

func whyCommand() command {
	var o askOptions
	cmd := command{
		name: "why", args: "URL", about: "the whole story of one URL: fetched or not, indexed or not, and why",
		examples: `
millrace why https://example.com/about
millrace why --json https://example.com/about`,
		settings: looking(), own: &o, section: answerSection("json"), least: 1, most: 1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		q := url.Values{"url": {c.args[0]}}
		return show(ctx, c, "/api/v1/why", q, o.JSON, func(story web.Story) error {
			c.printStory(story)
			return nil
		})
	}
	return cmd
}

func (c *output) printStory(s web.Story) {
	if s.URL != "" {
		c.printf("%s\n", printable(s.URL))
	}
	c.printf("%s\n", printable(s.Summary))
	for _, section := range s.Sections {
		c.printf("\n%s\n", printable(section.Title))
		for _, f := range section.Facts {
			c.printf("  %-16s %s\n", printable(f[0]), printable(f[1]))
		}
	}
}
