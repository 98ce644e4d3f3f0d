package page

import (
	"errors"
	"strings"
	"time"

	"millrace/consumers/extract/documents"
	"millrace/consumers/extract/lang"
	"millrace/consumers/extract/plain"
)

// File makes a Result from a file that is no page. d is its content; or err says why it could not
// be read: one of the errors of package documents. Headers apply as for pages, and so do rules that
// refuse.
func (e *Extractor) File(in Input, d *documents.Document, err error) Result {
	r := Result{Kind: File}
	r.Directives.fromHeaders(in.RobotsTags, e.opts.Robot)
	x := extraction{Extractor: e, in: in, opts: &e.opts, r: &r}
	x.url, _ = e.canon.Parse(in.URL)
	if err != nil {
		r.Drop = dropOf(err)
	}
	if d == nil {
		return r
	}
	r.Filetype, r.PageStarts, r.Pages, r.FileCut = d.Type, d.PageStarts, d.Pages, d.Cut
	r.Title, r.TitleBy = d.Title, d.TitleBy
	r.Text, r.TextBy = plain.Cut(d.Text, e.opts.MaxText), d.Type
	r.Author, r.By = d.Author, "stated in the file"
	r.Headings, r.Summary = d.Headings, d.Summary
	r.Stated = firstOf(lang.Base(d.Lang), lang.Base(in.Language))
	x.fileDates(d)
	x.fileLinks(d)
	if rule, ok := x.rules.Find(x.url.Hostname(), x.url.String()); ok && rule.Refuse && r.Drop == NotDropped {
		r.RuleID, r.Drop = rule.ID, ByRule
	}
	x.finish()
	return r
}

func dropOf(err error) Drop {
	switch {
	case errors.Is(err, documents.ErrNoText):
		return NoText
	case errors.Is(err, documents.ErrEncrypted):
		return Encrypted
	case errors.Is(err, documents.ErrHeavy):
		return TooHeavy
	case errors.Is(err, documents.ErrUnknown):
		return NotHTML
	}
	return Broken
}

// fileDates takes the dates in the file's metadata, if they are plausible.
func (x *extraction) fileDates(d *documents.Document) {
	c := clock{now: x.in.FetchedAt}
	if c.plausible(d.Created) {
		x.r.Published = Date{Time: d.Created, From: d.Type + " created", Text: d.Created.Format(time.DateOnly), Sure: 1}
	}
	if c.plausible(d.Modified) {
		x.r.Modified = Date{Time: d.Modified, From: d.Type + " modified", Text: d.Modified.Format(time.DateOnly), Sure: 1}
	}
}

func (x *extraction) fileLinks(d *documents.Document) {
	c := newCollector(x.canon, x.url, x.url, x.opts)
	for _, h := range x.in.LinkHeaders {
		x.linkHeader(c, h)
	}
	for _, l := range d.Links {
		ref := l.URL
		if strings.HasPrefix(strings.ToLower(ref), "www.") {
			ref = "http://" + ref
		}
		c.add(ref, PageLink, strings.TrimSpace(plain.Cut(l.Text, x.opts.MaxAnchor)), 0)
	}
	x.r.Links, x.r.Cut = c.links, c.cut
}
