package rank

import "cmp"

// Ref identifies a page within one snapshot of one shard.
type Ref struct {
	Segment int
	Doc     uint64
}

// Scored is a page with its score, and the values that decide whether it is shown beside others.
type Scored struct {
	Ref   Ref
	Key   string // row key; decides between equal scores
	Score float64
	Site  string
	Near  uint64 // sketch.Short of the text; 0 = none
	Parts []Part `json:",omitempty"` // of the score, if the plan asks for them
}

// Part is one addend of a score.
type Part struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Best orders hits: the better one first, of equals the one with the smaller key.
func Best(x, y Scored) int {
	return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.Key, y.Key))
}

// Top is a shard's answer in the second round.
type Top struct {
	Total  int64    // pages that match
	Hits   []Scored // the best K, best first
	Facets *Facets  `json:",omitempty"`
}

// Facets count the matching pages by site, language, file type and year. The value "" means
// unknown.
type Facets struct {
	Site, Lang, Type, Year map[string]int64
}

// NewFacets returns empty counts.
func NewFacets() *Facets {
	return &Facets{map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{}}
}

// Add sums the counts of another shard into f.
func (f *Facets) Add(o *Facets) {
	if o == nil {
		return
	}
	for _, pair := range [][2]map[string]int64{{f.Site, o.Site}, {f.Lang, o.Lang}, {f.Type, o.Type}, {f.Year, o.Year}} {
		for value, n := range pair[1] {
			pair[0][value] += n
		}
	}
}

// Page is a page as a result shows it.
type Page struct {
	Key         string
	URL         string
	Title       string
	Text        string
	Site        string
	Lang        string
	Author      string
	Type        string  // of the file: html, pdf ...; "" = html
	PublishedAt int64   // Unix milliseconds, 0 = unknown
	FetchedAt   int64   // Unix milliseconds
	Date        int64   // used by before:, after: and the order by date
	NoSnippet   bool    // the page asked not to be quoted
	NoArchive   bool    // the page asked that its whole text not be shown, or not to be quoted
	PageStarts  []int32 // of a file: byte offsets in Text where its pages, slides or sheets begin; nil = none
}

// Form is a word of the vocabulary, as it is written, in lower case.
type Form struct {
	Text string `json:"text"`
	Docs int64  `json:"docs"` // pages that have it
}
