package rank

// Field is a part of a page whose words are scored. It is used as an index into arrays.
type Field int

// The fields, in the order in which they are read.
const (
	Title    Field = iota
	Body           // the text
	Headings       // of the text, which has them too
	Address        // words of host and path
	Anchors        // texts of the links that lead to the page
	Fields         // how many there are
)

// String names the field in explanations.
func (f Field) String() string {
	return [...]string{"title", "text", "headings", "address", "links to it"}[f]
}

// Lengths are the mean lengths of an analyser's fields, in tokens.
type Lengths [Fields]float64

// Totals counts the pages of one analyser in a collection, and their tokens by field.
type Totals struct {
	Docs     int64 `json:"docs"`
	Title    int64 `json:"title"`
	Body     int64 `json:"body"`
	Headings int64 `json:"headings,omitempty"`
	Address  int64 `json:"address,omitempty"`
	Anchors  int64 `json:"anchors,omitempty"`
}

// Count adds pages and their tokens; with negative numbers it removes them.
func (t *Totals) Count(docs int64, tokens [Fields]int64) {
	t.Docs += docs
	for f, n := range tokens {
		*t.of(Field(f)) += n
	}
}

func (t *Totals) of(f Field) *int64 {
	return [...]*int64{&t.Title, &t.Body, &t.Headings, &t.Address, &t.Anchors}[f]
}

// Add sums two counts.
func (t *Totals) Add(o Totals) {
	var tokens [Fields]int64
	for f := range Fields {
		tokens[f] = *o.of(f)
	}
	t.Count(o.Docs, tokens)
}

// mean returns the mean lengths, at least one token each.
func (t Totals) mean() Lengths {
	var l Lengths
	for f := range Fields {
		l[f] = max(1, float64(*t.of(f))/float64(max(1, t.Docs)))
	}
	return l
}
