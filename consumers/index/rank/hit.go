package rank

import "cmp"

// Ref names a page within one snapshot of one shard.
type Ref struct {
	Segment int
	Doc     uint64
}

// Scored is a page with its score.
type Scored struct {
	Ref   Ref
	Key   string // row key; decides between equal scores
	Score float64
}

// Best orders hits: the better one first, of equals the one with the smaller key.
func Best(x, y Scored) int {
	return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.Key, y.Key))
}

// Top is a shard's answer in the second round.
type Top struct {
	Total int64    // pages that match
	Hits  []Scored // the best K, best first
}

// Page is what a hit shows.
type Page struct {
	Key         string
	URL         string
	Title       string
	Text        string
	Site        string
	Lang        string
	PublishedAt int64 // Unix milliseconds, 0 = unknown
	FetchedAt   int64 // Unix milliseconds
	NoSnippet   bool  // the page asked not to be quoted
}
