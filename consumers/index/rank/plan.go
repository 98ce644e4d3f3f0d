package rank

import (
	"errors"
	"fmt"

	"millrace/consumers/index/text"
)

// Term is a word in the form of one analyser. Name is its key in the dictionary of the index; with
// Prefix it stands for every key that begins with Name.
type Term struct {
	Analyser text.Analyser
	Name     string
	Prefix   bool
}

// Word is a word of the query with its terms: at most one for each analyser. A page has terms of
// one analyser only, so the pages of a word's terms never overlap.
type Word struct {
	Typed string // its name in explanations
	Terms []Term
	Form  string // the word as it is written, in lower case; "" = all forms are equal
	Cut   bool   // a page without Form is likely to mean something else: a word cut from a text without spaces, .NET
	Begin bool   // every form that begins with Form; there are no terms
}

// Sequence is a phrase in terms of one analyser. Names[i] is At[i] positions after Names[0].
type Sequence struct {
	Analyser text.Analyser
	Names    []string
	At       []int
}

// Op is the kind of a Match.
type Op uint8

// The kinds of Match, with the fields of Match that they use.
const (
	Every      Op = iota // every page
	All                  // Args
	Some                 // Args: at least one
	None                 // Args: none of them
	Has                  // Word
	HasForm              // Word: exactly as written
	HasTitle             // Word
	HasAddress           // Word
	HasAuthor            // Word
	Row                  // Sequences: one of them, in title or body
	RowTitle             // Sequences: one of them, in the title
	Host                 // Value: this host or below
	Path                 // Value: the path, or a folder above it; with a star at its end, how one of them begins
	Lang                 // Value
	Type                 // Value: of the file
	Days                 // From, To: days since 1970, half open
)

// Match is a tree that says which pages answer the query.
type Match struct {
	Op        Op
	Args      []Match
	Word      int // index into Plan.Words
	Sequences []Sequence
	Value     string
	From, To  int32
}

// Plan is the request of the second round, the same to each shard.
type Plan struct {
	Words   []Word
	Weights []float64 // of each word: its inverse document frequency over all shards
	Lengths map[text.Analyser]Lengths
	Params  Params
	Match   Match
	Pairs   []Pair // words that follow each other in the query
	K       int    // how many hits are wanted
	Own     int    // how many of the words are the query's, the first ones; the others were added. 0 = all
	Left    int    // function words of the query that are left out: a title that has them is not longer for it
	Rescore int    // how many of the best pages get nearness, title, authority and freshness added

	Lang    string // the language of the query, "" = not known
	Today   int32  // the day from which Fresh counts; 0 = the query does not ask for news
	Newest  bool   // order by date, newest first
	Facets  bool   // count the pages by site, language, type and year
	Explain bool   // say what the scores consist of
	After   *After // only what comes after this hit; nil = all
}

// After is a position in the order of hits. Pages after it are ordered by their first scores, so
// Rescore must be 0.
type After struct {
	Score   float64
	Key     string
	Relaxed bool `json:",omitempty"` // the matching pages may lack words
}

// The limits of a plan: more than any query of the search page needs.
const (
	maxPlanWords = 1024
	maxPlanHits  = 100_000
	maxPlanDepth = 64
	maxPlanNodes = 10_000
)

// Validate refuses a plan that no search makes; it may come from another process.
func (p *Plan) Validate() error {
	switch {
	case len(p.Weights) != len(p.Words):
		return fmt.Errorf("plan has %d words and %d weights", len(p.Words), len(p.Weights))
	case p.Own < 0 || p.Own > len(p.Words):
		return fmt.Errorf("plan has %d words, of which %d are the query's", len(p.Words), p.Own)
	case len(p.Words) > maxPlanWords || p.K < 0 || p.K > maxPlanHits || p.Rescore < 0 || p.Rescore > maxPlanHits:
		return fmt.Errorf("plan has %d words and asks for %d and %d hits", len(p.Words), p.K, p.Rescore)
	}
	if p.After != nil && p.Rescore > 0 {
		return errors.New("plan goes on after a hit and asks for a closer look, which changes the order")
	}
	for _, pair := range p.Pairs {
		if min(pair.First, pair.Second) < 0 || max(pair.First, pair.Second) >= len(p.Words) {
			return fmt.Errorf("plan has no pair %+v", pair)
		}
	}
	nodes := 0
	return p.Match.validate(0, &nodes)
}

func (m *Match) validate(depth int, nodes *int) error {
	if *nodes++; depth > maxPlanDepth || *nodes > maxPlanNodes {
		return fmt.Errorf("plan is deeper than %d or has more than %d conditions", maxPlanDepth, maxPlanNodes)
	}
	for _, s := range m.Sequences {
		if len(s.Names) == 0 || len(s.Names) != len(s.At) {
			return fmt.Errorf("plan has a row of %d terms and %d places", len(s.Names), len(s.At))
		}
	}
	for i := range m.Args {
		if err := m.Args[i].validate(depth+1, nodes); err != nil {
			return err
		}
	}
	return nil
}

// Unscored reports whether a plan only filters ("site:example.com after:2024") or asks for the
// newest pages. Then the score is the page's day, and the newest come first.
func (p *Plan) Unscored() bool {
	if p.Newest {
		return true
	}
	for _, w := range p.Weights {
		if w > 0 {
			return false
		}
	}
	return true
}

// Pair is two words of the plan that are neighbours in the query. Pages on which they are near each
// other score higher.
type Pair struct{ First, Second int }

// Asked returns how many of the words are the query's own; they come first.
func (p *Plan) Asked() int {
	if p.Own == 0 {
		return len(p.Words)
	}
	return p.Own
}

// Weight is the sum of the weights of the query's own words.
func (p *Plan) Weight() float64 {
	sum := 0.0
	for _, w := range p.Weights[:p.Asked()] {
		sum += w
	}
	return sum
}
