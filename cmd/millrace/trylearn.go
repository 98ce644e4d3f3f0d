package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"millrace/cmd/wire"
	"millrace/consumers/extract/page"
	"millrace/schema"
)

// learn proposes a rule of extraction from the pages that the arguments name. A page that cannot be
// had is named on the standard error, and the others count.
func (c *call) learn(ctx context.Context, o *tryOptions) error {
	log, err := c.logger(c.stderr)
	if err != nil {
		return err
	}
	if len(c.args) < page.LeastProposed {
		return misuse("a rule is learnt from %d to %d pages of one site", page.LeastProposed, page.MostProposed)
	}
	var pages []*schema.Page
	var failed error
	for _, name := range c.args {
		p, err := c.pageOf(ctx, name, o)
		if err != nil && ctx.Err() != nil {
			return err
		}
		if err != nil {
			fmt.Fprintf(c.stderr, "millrace: left out: %v\n", err)
			failed = err
			continue
		}
		pages = append(pages, p)
	}
	if len(pages) < page.LeastProposed {
		return fmt.Errorf("too few of the pages could be had: %w", failed)
	}
	p, err := wire.ProposeRule(c.cfg, log, pages)
	if err != nil {
		return err
	}
	if o.JSON {
		return c.printWebJSON(p)
	}
	return c.printProposal(&p)
}

// pageOf fetches a URL, or reads a file as the page of --url.
func (c *call) pageOf(ctx context.Context, name string, o *tryOptions) (*schema.Page, error) {
	body, err := c.fileBytes(name)
	switch {
	case err == nil && o.URL == "":
		return nil, misuse("%s: pages in files need --url, the address of their site", name)
	case err == nil:
		return wire.GivenPage(o.URL, cmp.Or(o.Type, typeOf(name)), body)
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	list, err := parseSeeds([]string{name})
	if err != nil {
		return nil, err
	}
	if err := c.cfg.ValidateFetch(); err != nil {
		return nil, misuse("%w", err)
	}
	if _, err := c.mayAsk(ctx, list[0].URL.String()); err != nil {
		return nil, err
	}
	return wire.FetchPage(ctx, c.cfg, list[0].URL.String(), c.waits)
}

// printProposal prints the rule as a file of rules has it, and the comparison as comments in it.
func (c *output) printProposal(p *page.Proposal) error {
	var b strings.Builder
	b.WriteString("# A proposal, learnt from the pages below: look at it before you use it.\n")
	if p.Rule.Content == "" {
		b.WriteString("# No element has the main text on most of the pages: they may be of different kinds.\n")
	}
	b.WriteString(p.Rule.YAML())
	b.WriteString("\n")
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "# words: models\trule\tshared\ttitle\tday\tauthor\tpage")
	for _, x := range p.Pages {
		if x.Drop != "" {
			fmt.Fprintf(table, "# -\t-\t-\t-\t-\t-\t%s: no text to learn from: %s\n", x.URL, x.Drop)
			continue
		}
		fmt.Fprintf(table, "# %d\t%d\t%.2f\t%s\t%s\t%s\t%s\n", x.Model.Words, x.Rule.Words, x.Shared,
			agree(x.Model.Title, x.Rule.Title), agree(x.Model.Published, x.Rule.Published), agree(x.Model.Author, x.Rule.Author), x.URL)
	}
	_ = table.Flush() // a Builder does not fail
	for _, x := range p.Pages {
		for _, f := range [][3]string{{"title", x.Model.Title, x.Rule.Title}, {"day", x.Model.Published, x.Rule.Published}, {"author", x.Model.Author, x.Rule.Author}} {
			if f[1] != f[2] {
				fmt.Fprintf(&b, "# %s\n#   %s by the models: %q\n#   %s by the rule:   %q\n", x.URL, f[0], f[1], f[0], f[2])
			}
		}
	}
	for line := range strings.Lines(b.String()) {
		c.printf("%s\n", visible(strings.TrimSuffix(line, "\n")))
	}
	return nil
}

// agree says whether the models and the rule found the same.
func agree(model, rule string) string {
	switch {
	case model == rule && model == "":
		return "none"
	case model == rule:
		return "same"
	}
	return "other"
}
