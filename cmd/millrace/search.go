package main

import (
	"context"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
)

// askOptions are those of every command that answers.
type askOptions struct {
	JSON bool `name:"json" help:"print the answer as the API gives it"`
}

// searchOptions are those of search.
type searchOptions struct {
	JSON bool `name:"json" help:"print the answer as the API gives it"`
	Size int  `name:"size" short:"n" help:"results to show, at most 100"`
	From int  `name:"from" help:"results to skip"`
	Date bool `name:"by-date" help:"newest first, instead of the best first"`
	Why  bool `name:"explain" help:"say what each score consists of"`
}

func searchCommand() command {
	o := searchOptions{Size: 10}
	cmd := command{
		name: "search", args: "QUERY…", about: "search the index",
		long: `
All words must be on a page. "quotes" ask for a phrase, -word for pages without it, a OR b for
one of both, dict* for words that begin so; site:example.com/docs, title:word, inurl:word,
author:name, filetype:pdf, lang:en, after:2024-05 and before:2024-06 narrow it further. Quote it
for your shell. Works while a crawl runs and when it is stopped.`,
		examples: `
millrace search water wheel
millrace search --size 3 '"mill race" -film site:example.com'
millrace search --json --data /srv/crawl weir | jq '.hits[].url'`,
		settings: looking(), own: &o, section: answerSection("json", "size N", "from N", "by-date", "explain"),
		least: 1, most: -1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if o.Size < 1 || o.Size > 100 || o.From < 0 {
			return misuse("--size must be from 1 to 100, and --from not negative")
		}
		q := url.Values{
			"q": {strings.Join(c.args, " ")}, "size": {strconv.Itoa(o.Size)}, "from": {strconv.Itoa(o.From)},
		}
		if o.Date {
			q.Set("sort", "date")
		}
		if o.Why {
			q.Set("explain", "true")
		}
		return show(ctx, c, "/api/v1/search", q, o.JSON, func(r results) error {
			r.print(c, o.From)
			return nil
		})
	}
	return cmd
}

// results are what the API answers to a search.
type results struct {
	Total    int64
	Searched int64
	TookMS   float64 `json:"took_ms"`
	Relaxed  bool
	Warnings []string
	Meant    string `json:"did_you_mean"`
	Instead  string
	Hits     []struct {
		URL, Title, Snippet string
		Type                string
		FilePage            int `json:"file_page"`
		Score               float64
		Also                []struct{ URL string }
		Explain             []struct {
			Name  string
			Value float64
		}
	}
}

func (r *results) print(c *call, from int) {
	for _, w := range r.Warnings {
		fmt.Fprintf(c.stderr, "millrace: incomplete: %s\n", printable(w))
	}
	switch {
	case r.Total == 0:
		c.printf("0 of %s.\nThis may help: fewer or other words; no quotes; no site:, lang: or after:; millrace why URL for a page that should be there.\n",
			plural(r.Searched, "page"))
	case r.Instead != "":
		c.printf("0 of %s. With %s: %s in %.0f ms.\n", plural(r.Searched, "page"), printable(r.Instead), plural(r.Total, "page"), r.TookMS)
	case r.Relaxed:
		c.printf("Few pages have all the words; %s with some of them, in %.0f ms.\n", plural(r.Total, "page"), r.TookMS)
	default:
		c.printf("%s in %.0f ms.\n", plural(r.Total, "page"), r.TookMS)
	}
	if r.Meant != "" {
		c.printf("Did you mean: %s\n", printable(r.Meant))
	}
	for i, h := range r.Hits {
		title := h.Title
		if strings.TrimSpace(title) == "" {
			title = "(no title)"
		}
		c.printf("\n%2d. %s\n    %s\n", from+i+1, printable(title), printable(h.URL))
		if h.FilePage > 1 {
			c.printf("    %s, part %d\n", printable(h.Type), h.FilePage)
		}
		if s := printable(plain(h.Snippet)); s != "" {
			c.printf("    %s\n", s)
		}
		for _, also := range h.Also {
			c.printf("    also at %s\n", printable(also.URL))
		}
		if len(h.Explain) > 0 {
			c.printf("    %8.4f  score\n", h.Score)
		}
		for _, p := range h.Explain {
			c.printf("    %8.4f  %s\n", p.Value, printable(p.Name))
		}
	}
}

// plain is a snippet of the API, which is HTML with marks, as text.
func plain(snippet string) string {
	return html.UnescapeString(strings.NewReplacer("<mark>", "", "</mark>", "").Replace(snippet))
}
