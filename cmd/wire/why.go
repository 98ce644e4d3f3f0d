package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"millrace/consumers/dedupe"
	"millrace/consumers/index"
	"millrace/consumers/schedule"
	"millrace/ops/web"
	"millrace/schema"
	"millrace/schema/facts"
	"millrace/topics"
)

// Why explains a URL: what the frontier knows of it and its host, its document, its links, and its
// entry in the index. It reads single rows; no traces are kept for it.
func (s *answers) Why(ctx context.Context, raw string) (web.Story, error) {
	w, err := schedule.Explain(ctx, s.Store, s.Canon, s.scheduleOptions(), raw)
	if err != nil {
		return web.Story{}, err
	}
	story := web.Story{URL: w.URL, Summary: w.Verdict}
	if w.URL == "" {
		return story, &web.UserError{Message: fmt.Sprintf("%s is %s (%s)", raw, w.Verdict, w.Drop)}
	}
	story.Sections = append(story.Sections, identity(w))
	if w.Row != nil {
		story.Sections = append(story.Sections, web.Section{Title: "Frontier", Facts: w.Fields})
	}
	if w.Host != nil {
		story.Sections = append(story.Sections, web.Section{Title: "Host", Facts: w.Around})
	}
	x, err := dedupe.Explain(ctx, s.Store, string(w.RowKey))
	if err != nil {
		return web.Story{}, err
	}
	if x.Status != schema.DocRow_UNSPECIFIED {
		story.Sections = append(story.Sections, web.Section{Title: "Document", Facts: documentFacts(x)})
	}
	if err := s.addLinks(ctx, &story, w.RowKey); err != nil {
		return web.Story{}, err
	}
	found, err := s.addIndex(ctx, &story, w)
	story.Summary = headline(w, x, found)
	return story, err
}

// headline says in a sentence whether a page can be found by search, and if not, why.
func headline(w schedule.Story, x dedupe.Explanation, indexed bool) string {
	switch {
	case indexed:
		return "In the index. " + w.Verdict
	case x.StandsFor != "" && x.Status == schema.DocRow_ALIAS:
		return "Not in the index: it is another address of " + x.StandsFor + ". " + w.Verdict
	case x.TakenDown:
		return "Not in the index: its text was taken down. " + w.Verdict
	case x.Status == schema.DocRow_SURPLUS:
		return "Not in the index: too many pages of the site had this text when it came. " + w.Verdict
	case x.Status == schema.DocRow_LIVE && x.Published != "" && x.Published != w.URL:
		return "Not in the index: the same text is published as " + x.Published + ". " + w.Verdict
	}
	return w.Verdict
}

// addIndex adds the page's entry in the index, and reports whether there is one.
func (s *answers) addIndex(ctx context.Context, story *web.Story, w schedule.Story) (bool, error) {
	p := topics.Partition(string(w.Site), s.Meta.SitePartitions)
	hit, ok, err := s.groups.shards.Lookup(ctx, p, string(w.RowKey))
	if errors.Is(err, index.ErrNotAssigned) {
		story.Sections = append(story.Sections, web.Section{Title: "Index", Facts: [][2]string{{"in the index", "another process has this part of it"}, {"shard", fmt.Sprint(p)}}})
		return false, nil
	}
	if err != nil {
		return false, err
	}
	list := [][2]string{{"in the index", "no"}, {"shard", fmt.Sprint(p)}}
	if ok {
		list[0][1] = "yes"
		list = append(list, [2]string{"title", hit.Title}, [2]string{"fetched", facts.At(hit.FetchedAt)})
	}
	story.Sections = append(story.Sections, web.Section{Title: "Index", Facts: list})
	return ok, nil
}

// documentFacts lists what dedupe knows of a page.
func documentFacts(x dedupe.Explanation) [][2]string {
	list := [][2]string{
		{"status", strings.ToLower(x.Status.String())}, {"version", facts.Number(x.Rev)},
		{"stands for it", x.StandsFor}, {"pages with this text", facts.Number(x.Members)}, {"published as", x.Published},
		{"reason", strings.ToLower(x.Reason)}, {"moved to", x.MovedTo},
	}
	if x.TakenDown {
		list = append(list, [2]string{"not published", "the text was taken down (forget --content)"})
	}
	if x.Status == schema.DocRow_SURPLUS {
		list = append(list, [2]string{"not added", "too many pages of the site had this text when it came"})
	}
	return facts.Said(list)
}

func identity(w schedule.Story) web.Section {
	list := [][2]string{{"canonical form", w.URL}, {"row key", string(w.RowKey)}, {"site", string(w.Site)}}
	if w.Rule != "" {
		list = append(list, [2]string{"decided by", w.Rule})
	}
	if w.Every != "" {
		list = append(list, [2]string{"interval by", w.Every})
	}
	if w.Paused != "" {
		list = append(list, [2]string{"paused by", w.Paused})
	}
	if w.Drop != "" {
		list = append(list, [2]string{"a link to it", "is dropped: " + w.Drop})
	}
	return web.Section{Title: "URL", Facts: list}
}
