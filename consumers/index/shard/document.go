package shard

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	index "github.com/blevesearch/bleve_index_api"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// Document is what is indexed of a page.
type Document struct {
	Host  string
	Date  int64 // Unix milliseconds; what before: and after: look at
	Hash  Digest
	Shown rank.Page // without its Key
}

// storedPage is the part of rank.Page that is not a field of its own.
type storedPage struct {
	URL         string `json:"url"`
	Site        string `json:"site"`
	Lang        string `json:"lang,omitempty"`
	PublishedAt int64  `json:"published_at,omitempty"`
	FetchedAt   int64  `json:"fetched_at,omitempty"`
	NoSnippet   bool   `json:"no_snippet,omitempty"`
	Host        string `json:"host,omitempty"` // this and Date: to index the document again from here
	Date        int64  `json:"date,omitempty"`
}

// prepared is a document as scorch takes it: analysed already. It implements index.Document.
type prepared struct {
	key    string
	fields []index.Field
	mark   mark
	bytes  int
}

// analysers keeps a normaliser per analyser, for one goroutine: it remembers the stems of common words.
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
	normal := a.normaliser(analyser)
	body := cutText(d.Shown.Text, o.MaxTextBytes)
	title := analyse(fieldTitle, d.Shown.Title, analyser, normal, o.Positions)
	prose := analyse(fieldBody, body, analyser, normal, o.Positions)
	p := &prepared{
		key:   key,
		mark:  mark{hash: d.Hash, analyser: analyser, title: title.length, body: prose.length},
		bytes: len(key) + len(d.Shown.Title) + len(body),
	}
	s := d.Shown
	page, err := json.Marshal(storedPage{s.URL, s.Site, s.Lang, s.PublishedAt, s.FetchedAt, s.NoSnippet, d.Host, d.Date})
	if err != nil {
		return nil, err
	}
	p.fields = []index.Field{
		&field{name: fieldMark, options: storedOnly, value: p.mark.encode()},
		&field{name: fieldPage, options: storedOnly, value: page},
		prose,
		keywords(fieldDay, dayTerms(d.Date)),
		keywords(fieldHost, domains(d.Host)),
		keywords(fieldLang, language(s.Lang)),
		title,
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
