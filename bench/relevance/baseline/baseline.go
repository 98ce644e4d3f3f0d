// Package baseline is bleve as it comes: its analysers, its mapping, its query objects and its
// scoring, over the same documents that a shard gets. Only bench uses it, to say in numbers what
// our own search is worth.
//
// Its options are those a careful user of bleve would choose: title and body with term vectors and
// stored, no doc values, no _all field, one document mapping per language, BM25 or TF-IDF scoring.
//
// Caveats: nothing here is used to answer anyone's query.
package baseline

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/cjk" // registers its analyser
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/ru"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
)

// Index is a bleve index of documents in one language.
type Index struct{ index bleve.Index }

// Document is a document to index.
type Document struct {
	Key   string `json:"-"`
	Title string `json:"title"`
	Body  string `json:"body"`
}

// Analyser names bleve's analyser of a language.
func Analyser(lang string) string {
	switch lang {
	case "zh":
		return "cjk"
	case "ru":
		return "ru"
	}
	return "en"
}

// New makes an index in a directory. Scoring is "bm25" or "tf-idf".
func New(dir, lang, scoring string) (*Index, error) {
	m := bleve.NewIndexMapping()
	m.ScoringModel = scoring
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	for _, name := range []string{"title", "body"} {
		m.DefaultMapping.AddFieldMappingsAt(name, prose(Analyser(lang)))
	}
	i, err := bleve.NewUsing(dir, m, scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, fmt.Errorf("bleve index: %w", err)
	}
	return &Index{i}, nil
}

// Open opens an index made by New.
func Open(dir string) (*Index, error) {
	i, err := bleve.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("bleve index: %w", err)
	}
	return &Index{i}, nil
}

func prose(analyser string) *mapping.FieldMapping {
	f := bleve.NewTextFieldMapping()
	f.Analyzer = analyser
	f.Store, f.Index, f.IncludeTermVectors = true, true, true
	f.DocValues, f.IncludeInAll = false, false
	return f
}

// Add indexes documents as one batch.
func (i *Index) Add(documents []Document) error {
	b := i.index.NewBatch()
	for _, d := range documents {
		if err := b.Index(d.Key, d); err != nil {
			return err
		}
	}
	return i.index.Batch(b)
}

// Merge makes one segment of all.
func (i *Index) Merge(ctx context.Context) error {
	advanced, err := i.index.Advanced()
	if err != nil {
		return err
	}
	s, ok := advanced.(*scorch.Scorch)
	if !ok {
		return fmt.Errorf("the index is no scorch")
	}
	return s.ForceMerge(ctx, nil)
}

// Close closes the index.
func (i *Index) Close() error { return i.index.Close() }

// Request is a search for the best K documents that have a word of the text in body or title; with
// All, every word; with Phrase, the words in a row. Show asks for what a page of results needs: the
// title and a highlighted fragment of the body.
type Request struct {
	Text       string
	TitleBoost float64
	All, Show  bool
	Phrase     bool
	K          int
}

// Search returns the keys of the best documents.
func (i *Index) Search(q Request) ([]string, error) {
	in := func(field string, boost float64) query.Query { return match(q.Text, field, boost, q.All) }
	if q.Phrase {
		in = func(field string, boost float64) query.Query { return phrase(q.Text, field, boost) }
	}
	r := bleve.NewSearchRequest(bleve.NewDisjunctionQuery(in("title", q.TitleBoost), in("body", 1)))
	r.Size = q.K
	if q.Show {
		r.Fields = []string{"title"}
		r.Highlight = bleve.NewHighlight()
		r.Highlight.AddField("body")
	}
	found, err := i.index.Search(r)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, h := range found.Hits {
		keys = append(keys, h.ID)
	}
	return keys, nil
}

func match(text, field string, boost float64, all bool) query.Query {
	q := bleve.NewMatchQuery(text)
	q.SetField(field)
	q.SetBoost(boost)
	if all {
		q.SetOperator(query.MatchQueryOperatorAnd)
	}
	return q
}

func phrase(text, field string, boost float64) query.Query {
	q := bleve.NewMatchPhraseQuery(text)
	q.SetField(field)
	q.SetBoost(boost)
	return q
}
