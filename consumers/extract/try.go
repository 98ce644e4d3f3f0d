package extract

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"millrace/consumers/extract/page"
	"millrace/schema"
)

// Report says what would be made of a page, for people and as JSON (`millrace try`).
type Report struct {
	URL         string   `json:"url"`
	Kind        string   `json:"kind"`
	Filetype    string   `json:"filetype,omitempty"`
	Pages       int      `json:"pages,omitempty"`       // of a file
	PageStarts  []int32  `json:"page_starts,omitempty"` // byte offsets in the text
	FileCut     bool     `json:"file_cut,omitempty"`    // the file has more than was read
	Charset     Known    `json:"charset"`
	Lang        Known    `json:"lang"`
	Title       Known    `json:"title"`
	Author      Known    `json:"author"`
	Published   Known    `json:"published"`
	Modified    Known    `json:"modified"`
	Canonical   string   `json:"canonical,omitempty"`
	Hreflang    []string `json:"hreflang,omitempty"`
	Directives  []string `json:"directives,omitempty"`
	Rule        string   `json:"rule,omitempty"`
	PageType    string   `json:"page_type,omitempty"`
	Useful      bool     `json:"useful"`
	Score       float64  `json:"score"`
	Drop        string   `json:"drop,omitempty"` // why there is no document
	TextHash    string   `json:"text_hash,omitempty"`
	Summary     string   `json:"summary,omitempty"`
	Headings    []string `json:"headings,omitempty"`
	Text        Known    `json:"text"`
	Comments    string   `json:"comments,omitempty"`
	Links       []string `json:"links,omitempty"`
	Feeds       []string `json:"feeds,omitempty"`
	LinksBeyond int      `json:"links_beyond_cap,omitempty"`
}

// Known is a value and where it came from.
type Known struct {
	Value string `json:"value"`
	From  string `json:"from,omitempty"`
}

// Try does what Work does and reports the result with its sources. Nothing is sent.
func (w *Worker) Try(ctx context.Context, p *schema.Page) (Report, error) {
	made, err := w.Work(ctx, p)
	if err != nil {
		return Report{}, err
	}
	r := &made.Result
	rep := Report{
		URL: p.Url, Kind: string(r.Kind), Charset: Known{r.Charset.Name, string(r.Charset.Source)},
		Lang: Known{r.Lang, languageFrom(r)}, Title: Known{r.Title, r.TitleBy}, Author: Known{r.Author, r.By},
		Published: dateKnown(r.Published), Modified: dateKnown(r.Modified), Canonical: r.Canonical.String(),
		Directives: directives(r.Directives), Rule: r.RuleID, PageType: r.Type, Useful: r.Useful, Score: r.Score, Drop: made.Drop,
		TextHash: hex.EncodeToString(made.Extracted.GetDoc().GetTextHash()), Summary: r.Summary, Headings: r.Headings,
		Text: Known{r.Text, r.TextBy}, Comments: r.Comments, LinksBeyond: made.LinksCut,
	}
	for _, a := range r.Hreflang {
		rep.Hreflang = append(rep.Hreflang, a.Lang+" "+a.URL.String())
	}
	rep.Filetype, rep.Pages, rep.PageStarts, rep.FileCut = r.Filetype, r.Pages, r.PageStarts, r.FileCut
	for _, l := range r.Links {
		if l.Kind == page.PageLink {
			rep.Links = append(rep.Links, linkLine(l))
		} else {
			rep.Feeds = append(rep.Feeds, l.Kind.String()+" "+l.URL.String())
		}
	}
	return rep, nil
}

// Propose proposes a rule of extraction from pages of one site. An error of one page does not end
// it: a page that cannot be decoded is named as one without text.
func (w *Worker) Propose(pages []*schema.Page) (page.Proposal, error) {
	var in []page.Input
	for _, p := range pages {
		body, family, err := w.decode(p)
		if err != nil || family != schema.NoFile {
			body.Body = nil // it counts as a page without text
		}
		in = append(in, w.input(p, body.Body))
	}
	return w.pages.Propose(in)
}

func languageFrom(r *page.Result) string {
	switch {
	case r.Detected != "" && r.Stated != "" && r.Detected != r.Stated:
		return "detected; the page states " + r.Stated
	case r.Detected != "" && r.Stated != "":
		return "stated and detected"
	case r.Detected != "":
		return "detected"
	case r.Stated != "":
		return "stated"
	}
	return ""
}

func dateKnown(d page.Date) Known {
	if d.Time.IsZero() {
		return Known{}
	}
	from := fmt.Sprintf("%s: %q", d.From, d.Text)
	if d.Sure > 0 {
		from += fmt.Sprintf(", %.0f %% sure", 100*d.Sure)
	}
	return Known{d.Time.Format(time.RFC3339), from}
}

func directives(d page.Directives) []string {
	var out []string
	for _, v := range []struct {
		set  bool
		name string
	}{{d.NoIndex, "noindex"}, {d.NoFollow, "nofollow"}, {d.NoArchive, "noarchive"}, {d.NoSnippet, "nosnippet"}} {
		if v.set {
			out = append(out, v.name)
		}
	}
	if !d.UnavailableAfter.IsZero() {
		out = append(out, "unavailable_after "+d.UnavailableAfter.UTC().Format(time.RFC3339))
	}
	return out
}

func linkLine(l page.Link) string {
	var notes []string
	for _, n := range []struct {
		bit  page.Rel
		name string
	}{{page.RelNoFollow, "nofollow"}, {page.RelUGC, "ugc"}, {page.RelSponsored, "sponsored"}, {page.RelMetaRefresh, "meta refresh"}} {
		if l.Rel&n.bit != 0 {
			notes = append(notes, n.name)
		}
	}
	line := l.URL.String()
	if len(notes) > 0 {
		line += " [" + strings.Join(notes, ", ") + "]"
	}
	if l.Anchor != "" {
		line += "  " + l.Anchor
	}
	return line
}

// Print writes the report for people; values that are not known are left out.
func (r *Report) Print(w io.Writer) error {
	p := printer{w: w}
	p.line("url", r.URL, "")
	p.line("kind", r.Kind, "")
	p.line("file type", r.Filetype, pagesOf(r))
	p.line("charset", r.Charset.Value, r.Charset.From)
	p.line("language", r.Lang.Value, r.Lang.From)
	p.line("title", r.Title.Value, r.Title.From)
	p.line("author", r.Author.Value, r.Author.From)
	p.line("published", r.Published.Value, r.Published.From)
	p.line("modified", r.Modified.Value, r.Modified.From)
	p.line("canonical", r.Canonical, "")
	p.line("directives", strings.Join(r.Directives, ", "), "")
	p.line("rule", r.Rule, "")
	p.line("page type", r.PageType, "")
	p.line("document", outcome(r), "")
	p.line("text hash", r.TextHash, "")
	p.line("summary", r.Summary, "")
	p.list("headings", r.Headings)
	p.list("hreflang", r.Hreflang)
	p.list("feeds", r.Feeds)
	p.list("links", r.Links)
	if r.Text.Value != "" {
		p.list("text ("+r.Text.From+")", strings.Split(r.Text.Value, "\n"))
	}
	if r.Comments != "" {
		p.list("comments", strings.Split(r.Comments, "\n"))
	}
	return p.err
}

// pagesOf returns how many pages a file has.
func pagesOf(r *Report) string {
	words := ""
	if r.Pages > 0 {
		words = fmt.Sprintf("pages: %d", r.Pages)
	}
	if r.FileCut {
		words += "; not read to its end"
	}
	return strings.TrimPrefix(words, "; ")
}

func outcome(r *Report) string {
	switch {
	case r.Drop != "":
		return "none: " + r.Drop
	case r.Useful:
		return fmt.Sprintf("yes, useful (%.1f)", r.Score)
	}
	return fmt.Sprintf("yes, not article-like (%.1f)", r.Score)
}

// printer writes lines and remembers the first error, so that Print need not check each line.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(name, value, from string) {
	if value == "" || p.err != nil {
		return
	}
	if from != "" {
		value += "  (" + from + ")"
	}
	_, p.err = fmt.Fprintf(p.w, "%-11s %s\n", name, value)
}

func (p *printer) list(name string, values []string) {
	if len(values) == 0 || p.err != nil {
		return
	}
	_, p.err = fmt.Fprintf(p.w, "%s\n    %s\n", name, strings.Join(values, "\n    "))
}
