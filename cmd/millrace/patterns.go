package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"text/tabwriter"

	"millrace/ops/web"
)

func patternsCommand() command {
	var o askOptions
	cmd := command{
		name: "patterns", args: "HOST", about: "what the URLs of a host brought, by their shape, and which shapes are put aside",
		long: `
In a shape # stands for a number, ~ for a title in words, * for any text, and + for what
repeats. LEFT is how many more fetches without a new text a shape may cost; closed: it has
used that up, and its new URLs are put aside.`,
		examples: `
millrace patterns www.example.com
millrace patterns --json www.example.com | jq '.patterns[] | select(.closed)'`,
		settings: looking(), own: &o, section: answerSection("json"), least: 1, most: 1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		q := url.Values{"host": {c.args[0]}}
		return show(ctx, c, "/api/v1/patterns", q, o.JSON, func(out struct{ Patterns []web.PatternLine }) error { return c.printPatterns(out.Patterns) })
	}
	return cmd
}

func (c *output) printPatterns(list []web.PatternLine) error {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "SHAPE\tURLS\tFETCHED\tTRIED\tUSEFUL\tSAME TEXT\tNOT THERE\tLED TO\tLEFT\t\n")
	for _, p := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", printable(p.Shape), count(p.Found), count(p.Fetched), count(p.Tried),
			count(p.Useful), count(p.Duplicate), count(p.Missing+p.Soft404), count(p.Led), p.Left, printable(patternState(p)))
	}
	return w.Flush()
}

// patternState says what holds for a shape, in words.
func patternState(p web.PatternLine) string {
	var words []string
	switch {
	case p.Endless:
		words = append(words, "closed: endless")
	case p.Closed:
		words = append(words, "closed")
	}
	if len(p.Dropped) > 0 {
		words = append(words, "without "+strings.Join(p.Dropped, ", "))
	}
	return strings.Join(words, "; ")
}
