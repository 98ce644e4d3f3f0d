package shard

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"

	index "github.com/blevesearch/bleve_index_api"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/segment"
	"millrace/consumers/index/text"
)

// Document is a page as it is indexed.
type Document struct {
	Host      string
	Hash      Digest
	Headings  []string
	LinkShare int    // how much of the text is in links, in percent
	Near      uint64 // sketch.Short of the text; 0 = none
	Anchors   []Anchor
	ListedAt  int64     // ms: when the feed that brought it was read, in its first version; 0 = none. Not stored
	Shown     rank.Page // without its Key
}

// Anchor is the text of links that lead to a page.
type Anchor struct {
	Text  string `json:"text"`
	Sites int    `json:"sites"` // that link with this text: its words count so often
}

// The bounds of the fields beside the text, in bytes; longer ones are cut.
const (
	maxTitleBytes  = 4 << 10
	maxListBytes   = 16 << 10 // headings, anchors
	maxAuthorBytes = 512
	maxAnchorSites = 100 // more sites add nothing
)

// storedPage is the part of a Document that has no field of its own. Some of it is never shown, and
// kept only so that the document can be indexed again.
type storedPage struct {
	URL         string   `json:"url"`
	Site        string   `json:"site"`
	Lang        string   `json:"lang,omitempty"`
	Author      string   `json:"author,omitempty"`
	Type        string   `json:"type,omitempty"`
	PublishedAt int64    `json:"published_at,omitempty"`
	FetchedAt   int64    `json:"fetched_at,omitempty"`
	NoSnippet   bool     `json:"no_snippet,omitempty"`
	NoArchive   bool     `json:"no_archive,omitempty"`
	Host        string   `json:"host,omitempty"`
	Date        int64    `json:"date,omitempty"`
	Headings    []string `json:"headings,omitempty"`
	LinkShare   int      `json:"link_share,omitempty"`
	Near        uint64   `json:"near,omitempty"`
	Anchors     []Anchor `json:"anchors,omitempty"`
	PageStarts  []int32  `json:"page_starts,omitempty"`
}

// maxPageStarts bounds the pages of a file that are kept: what reads files keeps no more either.
const maxPageStarts = 2000

func (d *Document) stored() ([]byte, error) {
	s := &d.Shown
	return json.Marshal(storedPage{
		URL: s.URL, Site: s.Site, Lang: s.Lang, Author: s.Author, Type: s.Type, PublishedAt: s.PublishedAt,
		FetchedAt: s.FetchedAt, NoSnippet: s.NoSnippet, NoArchive: s.NoArchive, Host: d.Host, Date: s.Date,
		Headings: d.Headings, LinkShare: d.LinkShare, Near: d.Near, Anchors: d.Anchors,
		PageStarts: s.PageStarts[:min(len(s.PageStarts), maxPageStarts)],
	})
}

// prepared is an analysed document in the form that scorch and segment take. It implements
// index.Document and segment.Source.
type prepared struct {
	document  segment.Document
	positions bool
	mark      mark
}

// analysers has a normaliser for each analyser, which remembers the stems of common words. For one
// goroutine.
type analysers map[text.Analyser]*text.Normaliser

func (a analysers) normaliser(name text.Analyser) *text.Normaliser {
	if a[name] == nil {
		a[name] = text.NewNormaliser(name)
	}
	return a[name]
}

// prepare analyses a document.
func (a analysers) prepare(key string, d *Document, o Options) (*prepared, error) {
	analyser := text.ForLanguage(d.Shown.Lang)
	u, err := url.Parse(d.Shown.URL)
	if err != nil {
		u = &url.URL{}
	}
	p := &prepared{positions: o.Positions, mark: mark{hash: d.Hash, analyser: analyser}}
	doc := &p.document
	doc.Key, doc.Title, doc.Text = key, cutText(d.Shown.Title, maxTitleBytes), cutText(d.Shown.Text, o.MaxTextBytes)
	w := newWriting(a.normaliser(analyser), analyser, o.Positions, len(doc.Text))
	w.scan(segment.Title, doc.Title, 1)
	w.scan(segment.Body, doc.Text, 1)
	w.scan(segment.Headings, cutText(strings.Join(d.Headings, "\n"), maxListBytes), 1)
	doc.Terms[segment.Form] = w.takeForms()
	w.scan(segment.Address, address(u), 1)
	w.anchors(d.Anchors)
	doc.Words, doc.Lengths = w.words(), w.lengths
	for f, n := range w.lengths {
		p.mark.tokens[f] = int(n)
	}
	doc.Mark = p.mark.encode()
	if doc.Page, err = d.stored(); err != nil {
		return nil, err
	}
	w.authors(cutText(d.Shown.Author, maxAuthorBytes), doc)
	doc.Terms[segment.Day] = dayTerms(d.Shown.Date)
	doc.Terms[segment.Host] = domains(d.Host)
	doc.Terms[segment.Lang] = language(d.Shown.Lang)
	doc.Terms[segment.Links] = linkTerm(d.LinkShare)
	doc.Terms[segment.Near] = nearTerm(d.Near)
	doc.Terms[segment.Path] = paths(u.EscapedPath())
	doc.Terms[segment.Site] = nonempty(d.Shown.Site)
	doc.Terms[segment.Type] = typeTerm(d.Shown.Type)
	return p, nil
}

func language(tag string) []string {
	primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if primary == "" {
		return nil
	}
	return []string{primary}
}

func cutText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// Segmented implements segment.Source.
func (p *prepared) Segmented() (*segment.Document, bool) { return &p.document, p.positions }

// ID implements index.Document, as do the methods after it.
func (p *prepared) ID() string { return p.document.Key }

// Size is only used for scorch's statistics.
func (p *prepared) Size() int { return len(p.document.Text) }

// VisitFields has nothing to visit: the analysis is done before, because the totals of a batch must
// be known before scorch gets it.
func (p *prepared) VisitFields(index.FieldVisitor) {}

// VisitComposite has nothing to visit.
func (p *prepared) VisitComposite(index.CompositeFieldVisitor) {}

// HasComposite is false: there is no field of all fields.
func (p *prepared) HasComposite() bool { return false }

// NumPlainTextBytes is only used for scorch's statistics.
func (p *prepared) NumPlainTextBytes() uint64 { return uint64(len(p.document.Text)) }

// AddIDField does nothing: the key is part of every document.
func (p *prepared) AddIDField() {}

// StoredFieldsBytes is only used for documents read back by bleve.
func (p *prepared) StoredFieldsBytes() uint64 { return 0 }

// Indexed is scorch's mark of filtered documents; none are.
func (p *prepared) Indexed() bool { return false }
