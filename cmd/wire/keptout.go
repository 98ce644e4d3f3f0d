package wire

import (
	"context"
	"fmt"

	"millrace/consumers/rules"
	"millrace/consumers/schedule"
	"millrace/ops/web"
	"millrace/producers/seeds"
	"millrace/schema"
)

// SeedAllowed adds URLs to the crawl as SeedURLs does, but for those that a decision of an operator
// keeps out: it returns these, with what decides. Without that, they would be taken and dropped
// without a word.
func (s *additions) SeedAllowed(ctx context.Context, urls []string, scope string) (web.Seeded, error) {
	var out web.Seeded
	if err := s.control.Refresh(ctx); err != nil {
		return out, err
	}
	var rest []string
	for _, raw := range urls {
		seed, err := seeds.Parse(s.Canon, raw)
		if err != nil {
			return out, fmt.Errorf("%s: %w", raw, err)
		}
		if why := s.keptOut(seed.URL, schema.Kind_PAGE, true); why != "" {
			out.KeptOut = append(out.KeptOut, web.UnknownURL{URL: raw, Why: why})
			continue
		}
		rest = append(rest, raw)
	}
	if out.Accepted = len(rest); len(rest) == 0 {
		return out, nil
	}
	return out, s.SeedURLs(ctx, rest, scope)
}

// keptOut returns which decision keeps a URL out; "" = none does.
func (s *opened) keptOut(u schema.URL, kind schema.Kind, seeded bool) string {
	set := s.control.Set()
	v := set.Judge(rules.Query{URL: u.String(), Host: u.Host(), Path: u.RowKey().Path(), Site: u.Site(), Kind: kind, Seeded: seeded}, rules.Latest)
	if !v.Out {
		return ""
	}
	if v.Rule == "" {
		return "kept out: " + schema.ReasonOf(v.Reason).Why
	}
	return "kept out by " + schedule.Decided(set, v.Rule)
}

// keptOutNow returns which decision keeps out a URL that the crawl knows; "" = none does.
func (s *additions) keptOutNow(ctx context.Context, raw string) (string, error) {
	u, err := s.Canon.Parse(raw)
	if err != nil {
		return "", err
	}
	story, err := s.Frontier(ctx, raw)
	if err != nil {
		return "", err
	}
	if err := s.control.Refresh(ctx); err != nil {
		return "", err
	}
	return s.keptOut(u, story.Row.GetKind(), story.Row.GetSeeded()), nil
}
