package wire

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/search"
	"millrace/ops/web"
)

// searchPage searches the index for the search page, and converts the result.
func (s *answers) searchPage(ctx context.Context, q web.Question) (web.Results, error) {
	r, err := s.Ask(ctx, search.Request{
		Query: q.Query, Offset: q.From, Size: q.Size, PerSite: q.PerSite, Newest: q.Newest, Facets: q.Facets,
		Explain: q.Explain, Cursor: q.Cursor, Seen: q.Seen, Suggest: true, Instead: !q.Exact,
	})
	var bad *query.Error
	if errors.As(err, &bad) {
		return web.Results{}, &web.UserError{Message: bad.Error()}
	}
	if errors.Is(err, search.ErrNoShard) {
		return web.Results{}, s.noIndex(ctx)
	}
	if err != nil {
		return web.Results{}, err
	}
	out := web.Results{
		Total: r.Total, Listed: r.Listed, Took: time.Duration(r.TookMS * float64(time.Millisecond)),
		Relaxed: r.Relaxed, Meant: r.Meant, Instead: r.Instead, Next: r.Next, Seen: r.Seen, Facets: facets(r.Facets), Warnings: r.Warnings,
	}
	for _, h := range r.Hits {
		out.Hits = append(out.Hits, shownHit(h))
	}
	return out, nil
}

func shownHit(h search.Hit) web.Hit {
	hit := web.Hit{
		URL: h.URL, Title: h.Title, Score: h.Score, Site: h.Site, Lang: h.Lang, Author: h.Author, Type: h.Type,
		PublishedAt: fromMillis(h.PublishedAt), FetchedAt: fromMillis(h.FetchedAt), Date: fromMillis(h.Date), More: h.More, FilePage: h.FilePage, NoArchive: h.NoArchive,
	}
	for _, p := range h.Snippet {
		hit.Snippet = append(hit.Snippet, web.Fragment{Text: p.Text, Mark: p.Match})
	}
	for _, c := range h.Also {
		hit.Also = append(hit.Also, web.Also{URL: c.URL, Site: c.Site})
	}
	for _, p := range h.Parts {
		hit.Parts = append(hit.Parts, web.Part{Name: p.Name, Value: p.Value})
	}
	return hit
}

// maxFacetValues is the most values of a facet; those with the most results are kept.
const maxFacetValues = 20

// facets sorts the counts of each facet, and adds to each value the query condition that selects
// its results.
func facets(f *rank.Facets) []web.Facet {
	if f == nil {
		return nil
	}
	var out []web.Facet
	for _, one := range []struct {
		name, operator string
		counts         map[string]int64
	}{{"site", "site:", f.Site}, {"language", "lang:", f.Lang}, {"type", "filetype:", f.Type}, {"year", "", f.Year}} {
		facet := web.Facet{Name: one.name, Values: []web.FacetValue{}}
		for value, n := range one.counts {
			if value == "" {
				continue
			}
			condition := one.operator + value
			if one.name == "year" {
				condition = yearOnly(value)
			}
			facet.Values = append(facet.Values, web.FacetValue{Value: value, Count: n, Query: condition})
		}
		slices.SortFunc(facet.Values, func(x, y web.FacetValue) int {
			return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Value, y.Value))
		})
		facet.Values = facet.Values[:min(len(facet.Values), maxFacetValues)]
		out = append(out, facet)
	}
	return out
}

// yearOnly returns the query condition for the results of a year.
func yearOnly(year string) string {
	t, err := time.Parse("2006", year)
	if err != nil {
		return ""
	}
	return "after:" + year + " before:" + t.AddDate(1, 0, 0).Format("2006")
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
