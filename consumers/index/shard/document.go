package shard

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"

	index "github.com/blevesearch/bleve_index_api"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// Document is a page as it is indexed.
type Document struct {
	Host      string
	Hash      Digest
	Headings  []string
	LinkShare int    // how much of the text is in links, in percent
	Near      uint64 // fingerprint of the text: texts with few other bits are nearly equal; 0 = none
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
	Host        string   `json:"host,omitempty"`
	Date        int64    `json:"date,omitempty"`
	Headings    []string `json:"headings,omitempty"`
	LinkShare   int      `json:"link_share,omitempty"`
	Near        uint64   `json:"near,omitempty"`
	Anchors     []Anchor `json:"anchors,omitempty"`
}

func (d *Document) stored() ([]byte, error) {
	s := &d.Shown
	return json.Marshal(storedPage{
		URL: s.URL, Site: s.Site, Lang: s.Lang, Author: s.Author, Type: s.Type, PublishedAt: s.PublishedAt,
		FetchedAt: s.FetchedAt, NoSnippet: s.NoSnippet, Host: d.Host, Date: s.Date,
		Headings: d.Headings, LinkShare: d.LinkShare, Near: d.Near, Anchors: d.Anchors,
	})
}

// prepared is an analysed document in the form that scorch takes. It implements index.Document.
type prepared struct {
	key    string
	fields []index.Field
	mark   mark
	bytes  int
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
	w := writing{normal: a.normaliser(analyser), forms: index.TokenFrequencies{}}
	u, err := url.Parse(d.Shown.URL)
	if err != nil {
		u = &url.URL{}
	}
	title, body := cutText(d.Shown.Title, maxTitleBytes), cutText(d.Shown.Text, o.MaxTextBytes)
	fields := [rank.Fields]*field{
		rank.Title:    w.prose(fieldTitle, title, o.Positions),
		rank.Body:     w.prose(fieldBody, body, o.Positions),
		rank.Headings: w.counted(fieldHeadings, cutText(strings.Join(d.Headings, "\n"), maxListBytes), 1),
	}
	forms := w.vocabulary()
	fields[rank.Address] = w.counted(fieldAddress, address(u), 1)
	fields[rank.Anchors] = w.anchors(d.Anchors)
	p := &prepared{key: key, mark: mark{hash: d.Hash, analyser: analyser}, bytes: len(key) + len(title) + len(body)}
	for f := range rank.Fields {
		p.mark.tokens[f] = fields[f].length
	}
	page, err := d.stored()
	if err != nil {
		return nil, err
	}
	p.fields = []index.Field{
		&field{name: fieldMark, options: storedOnly, value: p.mark.encode()},
		&field{name: fieldPage, options: storedOnly, value: page},
		w.counted(fieldAuthor, cutText(d.Shown.Author, maxAuthorBytes), 1),
		keywords(fieldDay, dayTerms(d.Shown.Date)),
		forms,
		keywords(fieldHost, domains(d.Host)),
		keywords(fieldLang, language(d.Shown.Lang)),
		keywords(fieldLinks, linkTerm(d.LinkShare)),
		keywords(fieldNear, nearTerm(d.Near)),
		keywords(fieldPath, paths(u.EscapedPath())),
		keywords(fieldSite, nonempty(d.Shown.Site)),
		keywords(fieldType, typeTerm(d.Shown.Type)),
	}
	for _, f := range fields {
		p.fields = append(p.fields, f)
	}
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

// ID implements index.Document, as do the methods after it.
func (p *prepared) ID() string { return p.key }

// Size is only used for scorch's statistics.
func (p *prepared) Size() int { return p.bytes }

// VisitFields calls visit for every field.
func (p *prepared) VisitFields(visit index.FieldVisitor) {
	for _, f := range p.fields {
		visit(f)
	}
}

// VisitComposite has nothing to visit.
func (p *prepared) VisitComposite(index.CompositeFieldVisitor) {}

// HasComposite is false: there is no field of all fields.
func (p *prepared) HasComposite() bool { return false }

// NumPlainTextBytes is only used for scorch's statistics.
func (p *prepared) NumPlainTextBytes() uint64 { return uint64(p.bytes) }

// AddIDField is called by scorch once before it indexes the document.
func (p *prepared) AddIDField() {
	id := keywords(fieldKey, []string{p.key})
	id.options = index.IndexField | index.StoreField
	id.value = []byte(p.key)
	p.fields = append(p.fields, id)
}

// StoredFieldsBytes is only used for documents read back by bleve.
func (p *prepared) StoredFieldsBytes() uint64 { return 0 }

// Indexed is scorch's mark of filtered documents; none are.
func (p *prepared) Indexed() bool { return false }
