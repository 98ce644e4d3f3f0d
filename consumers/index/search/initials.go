package search

import (
	"strings"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// letterRow returns how many words of one letter a query begins with.
func letterRow(parts []query.Node) int {
	for i, part := range parts {
		if w, ok := plain(part); !ok || !text.Letter(w) {
			return i
		}
	}
	return len(parts)
}

// initials requires letters in a row that are words of the query, or the abbreviation that they
// make: J.R.R. for J R R. It also returns the single conditions, of which a page may lack some when
// the query is relaxed.
func (b *builder) initials(letters []query.Node) (rank.Match, []rank.Match) {
	var apart []rank.Match
	var joined strings.Builder
	var of []int
	for _, l := range letters {
		typed, _ := plain(l)
		apart = append(apart, b.word(typed)...)
		of = append(of, b.named(typed, spans(typed))...)
		joined.WriteString(strings.TrimSuffix(typed, "."))
	}
	var one rank.Match
	b.standing(stand{of: of}, func() { one = b.rows(joined.String(), true) })
	return rank.Match{Op: rank.Some, Args: []rank.Match{all(apart), one}}, append(apart, one)
}
