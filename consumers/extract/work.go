package extract

import (
	"context"
	"log/slog"
	"math"
	"runtime"
	"time"

	"millrace/consumers/extract/documents"
	"millrace/consumers/extract/page"
	"millrace/consumers/extract/rules"
	"millrace/consumers/inflate"
	"millrace/schema"
)

// A Worker turns pages into records. It keeps nothing from page to page, and is safe for concurrent
// use.
type Worker struct {
	opts  Options
	pages *page.Extractor
	files *documents.Reader
	log   *slog.Logger
	large chan struct{} // a slot for each page above largePage that is being read
}

// largePage is the size in bytes above which pages take turns. Reading takes many times a page's
// size in memory, so only as many large pages as processors are read at once.
const largePage = 256 << 10

// Deps are what a Worker uses.
type Deps struct {
	Canon  *schema.Canonicalizer
	Rules  rules.Lookup // rules of extraction by domain; nil: none
	Logger *slog.Logger
}

// New returns a Worker, or an error for wrong options.
func New(opts Options, d Deps) (*Worker, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	x, err := page.New(opts.Page, d.Canon, d.Rules)
	if err != nil {
		return nil, err
	}
	files, err := documents.New(opts.Documents)
	if err != nil {
		return nil, err
	}
	return &Worker{opts: opts, pages: x, files: files, log: d.Logger, large: make(chan struct{}, runtime.GOMAXPROCS(0))}, nil
}

// Close closes the reader of files. No page may be at work.
func (w *Worker) Close() { w.files.Close() }

// Made is everything that is made of one page.
type Made struct {
	Extracted  *schema.Extracted
	Discovered []*schema.Discovered // links, then the digest
	Found      *schema.Found        // the links again, for the group links
	Result     page.Result
	Drop       string // why there is no document; "" if there is one
	LinksCut   int
}

// Work reads a page. It fails only if ctx ended before the page was read.
func (w *Worker) Work(ctx context.Context, p *schema.Page) (Made, error) {
	r := w.read(ctx, p)
	if ctx.Err() != nil {
		return Made{}, context.Cause(ctx)
	}
	m := Made{Result: r, Drop: string(r.Drop), LinksCut: r.Cut}
	var hash []byte
	if r.Drop == page.NotDropped {
		d := w.doc(p, &r)
		hash = d.TextHash
		m.Extracted = &schema.Extracted{Body: &schema.Extracted_Doc{Doc: d}}
	} else {
		m.Extracted = &schema.Extracted{Body: &schema.Extracted_Gone{Gone: w.gone(p, r.Drop)}}
	}
	hosts := byHost(p, &r)
	m.Discovered = append(w.links(p, &r, hosts), w.digest(p, &r, hash))
	m.Found = w.found(p, &r, hosts)
	return m, nil
}

// read decodes the body and extracts. A panic in a parser is logged, and the page ends as broken,
// so that it does not stop its partition.
func (w *Worker) read(ctx context.Context, p *schema.Page) (r page.Result) {
	defer func() {
		if v := recover(); v != nil {
			w.log.Error("extraction panicked", "row_key", p.RowKey, "rev", p.Rev, "panic", v)
			r = page.Result{Drop: page.Broken}
		}
	}()
	body, family, err := w.decode(p)
	if err != nil {
		return page.Result{Drop: page.Broken}
	}
	if len(body.Body) > largePage {
		select {
		case w.large <- struct{}{}:
			defer func() { <-w.large }()
		case <-ctx.Done():
			return r
		}
	}
	in := w.input(p, body.Body)
	if family == schema.NoFile {
		return w.pages.Extract(in)
	}
	d, err := w.files.Read(ctx, family, body.Body)
	return w.pages.File(in, d, err)
}

// decode undoes the content encoding and returns the kind of the body. A file may be larger than a
// page.
func (w *Worker) decode(p *schema.Page) (inflate.Decoded, schema.FileFamily, error) {
	body, err := inflate.Decode(p.Body, p.ContentEncoding, w.opts.Inflate)
	if err != nil {
		return body, schema.NoFile, err
	}
	family := schema.FamilyOf(body.Body, p.ContentType)
	if family != schema.NoFile && body.Truncated && w.opts.MaxFile > w.opts.Inflate.MaxBytes {
		larger := w.opts.Inflate
		larger.MaxBytes = w.opts.MaxFile
		body, err = inflate.Decode(p.Body, p.ContentEncoding, larger)
	}
	return body, family, err
}

func (w *Worker) input(p *schema.Page, body []byte) page.Input {
	in := page.Input{URL: p.Url, ContentType: p.ContentType, Body: body, FetchedAt: time.UnixMilli(p.FetchedAt).UTC()}
	if p.FetchedAt == 0 {
		in.FetchedAt = time.Time{}
	}
	for _, h := range p.Headers {
		switch h.Name {
		case "x-robots-tag":
			in.RobotsTags = append(in.RobotsTags, h.Value)
		case "link":
			in.LinkHeaders = append(in.LinkHeaders, h.Value)
		case "content-language":
			in.Language = h.Value
		}
	}
	return in
}

func (w *Worker) doc(p *schema.Page, r *page.Result) *schema.Doc {
	key := schema.RowKey(p.RowKey)
	hash, simhash, near := fingerprints(r.Same.Title, r.Same.Text)
	d := &schema.Doc{
		RowKey: p.RowKey, Url: p.Url, Host: key.Host().Name(), Site: p.Site, Rev: p.Rev, Edition: w.opts.Edition,
		Title: r.Title, Text: r.Text, Summary: r.Summary, Author: r.Author, Lang: r.Lang, Headings: r.Headings, LinkShare: int32(r.LinkShare),
		PublishedAt: millis(r.Published.Time), ModifiedAt: millis(r.Modified.Time),
		TextHash: hash, Simhash: simhash, Sketch: near, Canonical: string(r.Canonical.RowKey()),
		RuleId: r.RuleID, Fit: r.Useful, Score: p.Score, Depth: p.Depth, Kind: p.Kind,
		DiscoveredAt: p.DiscoveredAt, ListedAt: p.ListedAt, FetchedAt: p.FetchedAt,
		ExtractedAt: p.FetchedAt, // not the time of extraction: a repeat must be equal
		Filetype:    r.Filetype, PageStarts: r.PageStarts,
		Comments: r.Comments, PageType: r.Type,
	}
	if d.PublishedAt != 0 {
		d.PublishedBy, d.PublishedSure = r.Published.From, int32(math.Round(100*r.Published.Sure))
	}
	v := r.Directives
	if v != (page.Directives{}) {
		d.Directives = &schema.Directives{Nofollow: v.NoFollow, Noarchive: v.NoArchive, Nosnippet: v.NoSnippet,
			UnavailableAfter: millis(v.UnavailableAfter)}
	}
	return d
}

func (w *Worker) gone(p *schema.Page, why page.Drop) *schema.Gone {
	told, _ := reason(why)
	return &schema.Gone{RowKey: p.RowKey, Url: p.Url, Site: p.Site, Rev: p.Rev, Edition: w.opts.Edition,
		Reason: told, At: p.FetchedAt}
}

// reason returns the reason for Gone; false if why has no mapping, and the reason is BROKEN.
func reason(why page.Drop) (schema.Gone_Reason, bool) {
	switch why {
	case page.NoIndex, page.Unavailable:
		return schema.Gone_NOINDEX, true
	case page.NotHTML, page.IsFeed:
		return schema.Gone_NOT_HTML, true
	case page.Empty, page.NoText:
		return schema.Gone_EMPTY, true
	case page.ByRule:
		return schema.Gone_RULE, true
	case page.Broken, page.Encrypted, page.TooHeavy:
		return schema.Gone_BROKEN, true
	}
	return schema.Gone_BROKEN, false
}

func (w *Worker) digest(p *schema.Page, r *page.Result, hash []byte) *schema.Discovered {
	return discovered(schema.RowKey(p.RowKey).Host(), p, &schema.Discovered_Digest{Digest: &schema.Digest{
		RowKey: p.RowKey, Rev: p.Rev, TextHash: hash, Useful: r.Useful && r.Drop == page.NotDropped, RuleId: r.RuleID,
		Noindex: r.Directives.NoIndex, Nofollow: r.Directives.NoFollow, Canonical: string(r.Canonical.RowKey()),
		Lang: r.Lang, PublishedAt: millis(r.Published.Time), Links: int32(len(r.Links) + r.Cut),
		DropReason: string(r.Drop), Edition: w.opts.Edition,
		Skeleton: skeleton(r.Same.Title, r.Same.Text, schema.RowKey(p.RowKey)), Soft_404: soft404(r),
		UnavailableAfter: millis(r.Directives.UnavailableAfter),
	}})
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
