package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// textOptions are those of text.
type textOptions struct {
	JSON bool `name:"json" help:"print the answer as the API gives it"`
	Page int  `name:"page" help:"only this page, slide, sheet or chapter of a file"`
}

func textCommand() command {
	var o textOptions
	cmd := command{
		name: "text", args: "URL", about: "the text of a page or file, as it is in the index",
		long: `
The text of a PDF or Office file comes by its pages, slides, sheets or chapters. A page that asks
not to be kept as a copy (noarchive, nosnippet) is not shown.`,
		examples: `
millrace text https://example.com/about
millrace text --page 12 https://example.com/manual.pdf
millrace text --json https://example.com/manual.pdf | jq -r '.pages[2].text'`,
		settings: looking(), own: &o, section: answerSection("json", "page N"), least: 1, most: 1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if o.Page < 0 || o.JSON && o.Page > 0 {
			return misuse("--page must not be negative, and --json gives all pages")
		}
		return show(ctx, c, "/api/v1/text", url.Values{"url": {c.args[0]}}, o.JSON, func(t pageText) error {
			return t.print(c, o.Page)
		})
	}
	return cmd
}

// pageText is what the API answers to a question for a text.
type pageText struct {
	URL, Title string
	FetchedAt  time.Time `json:"fetched_at"`
	Pages      []struct {
		Number int
		Text   string
	}
}

// print writes the text, of only one page if only is not 0. Each page of a file has its number
// before it.
func (t *pageText) print(c *call, only int) error {
	found := false
	for _, p := range t.Pages {
		if only != 0 && p.Number != only {
			continue
		}
		if !found && only == 0 {
			c.printf("%s\n%s\nfetched %s\n\n", printable(t.Title), printable(t.URL), t.FetchedAt.Format(time.DateOnly))
		}
		found = true
		if only == 0 && p.Number > 0 {
			c.printf("— %d —\n", p.Number)
		}
		for line := range strings.Lines(p.Text) {
			c.printf("%s\n", printable(strings.TrimRight(line, "\n")))
		}
	}
	if !found {
		return fmt.Errorf("%s has no page %d: its text has %d", printable(t.URL), only, len(t.Pages))
	}
	return nil
}
