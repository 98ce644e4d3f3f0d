package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/search"
	"millrace/ops/web"
)

// Text returns the text of a page as the index has it; false if the index does not have the page.
func (s *answers) Text(ctx context.Context, raw string) (web.Text, bool, error) {
	u, err := s.Canon.Parse(raw)
	if err != nil {
		return web.Text{}, false, &web.UserError{Message: fmt.Sprintf("%s is not a URL that can be crawled", raw)}
	}
	page, ok, err := s.searcher.Lookup(ctx, string(u.RowKey()))
	switch {
	case errors.Is(err, search.ErrNoShard):
		return web.Text{}, false, s.noIndex(ctx)
	case errors.Is(err, search.ErrPartial):
		return web.Text{}, false, &web.Unavailable{Message: "A part of the index cannot be asked now, and the others do not have this page: ask again in a moment."}
	case err != nil || !ok:
		return web.Text{}, false, err
	}
	return shownText(&page), true, nil
}

// shownText is the text of a page as it is shown. A page that does not want that has none.
func shownText(p *rank.Page) web.Text {
	t := web.Text{
		URL: p.URL, Title: p.Title, Lang: p.Lang, Author: p.Author, Type: cmp.Or(p.Type, "html"), Site: p.Site,
		PublishedAt: fromMillis(p.PublishedAt), FetchedAt: fromMillis(p.FetchedAt), NoArchive: p.NoArchive,
	}
	if !p.NoArchive {
		t.Pages = textPages(p.Text, p.PageStarts)
	}
	return t
}

// textPages cuts a text at the beginnings of its pages. A text without pages, and what stands
// before the first one, has the number 0.
func textPages(text string, starts []int32) []web.TextPage {
	var out []web.TextPage
	from := 0
	for number, start := range starts {
		at := min(max(int(start), from), len(text)) // they ascend, unless the file of the index is damaged
		if number > 0 || at > 0 {
			out = append(out, web.TextPage{Number: number, Text: text[from:at]})
		}
		from = at
	}
	return append(out, web.TextPage{Number: len(starts), Text: text[from:]})
}
