package search

import (
	"strings"
	"unicode/utf8"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// neighbours are plain words of a query that follow each other: their index in the conditions of
// the query, and as they were typed.
type neighbours struct {
	at    []int
	typed []string
}

func (n *neighbours) add(at int, typed string) {
	n.at, n.typed = append(n.at, at), append(n.typed, typed)
}

// leastAsOne is how many letters two words have at least together that are tried as one.
const leastAsOne = 5

// asOne lets neighbours be one word on a page: website for web site, 1234567 for 1 234 567. Each of
// the two conditions is met by that word as well. It returns the conditions for the words that are
// one. A question of many words says enough without them.
func (b *builder) asOne(n neighbours, wanted []rank.Match) (ones []rank.Match) {
	also := func(from, to int) {
		one, ok := b.compound(n.typed[from : to+1])
		if !ok {
			return
		}
		ones = append(ones, one)
		for _, at := range n.at[from : to+1] {
			if m := &wanted[at]; m.Op == rank.Some {
				m.Args = append(m.Args[:len(m.Args):len(m.Args)], one)
			} else {
				*m = rank.Match{Op: rank.Some, Args: []rank.Match{*m, one}}
			}
		}
	}
	if len(n.typed) > maxJoined {
		return nil
	}
	for i := 1; i < len(n.typed); i++ {
		if x, y := n.typed[i-1], n.typed[i]; letters(x) && letters(y) && utf8.RuneCountInString(x+y) >= leastAsOne {
			also(i-1, i)
		}
	}
	if len(n.typed) > 1 && numbers(n.typed) {
		also(0, len(n.typed)-1)
	}
	return ones
}

// compound requires words written as one. ok is false if that has the stem of one of them, as
// "index e" has: that word would count twice.
func (b *builder) compound(words []string) (m rank.Match, ok bool) {
	one := strings.Join(words, "")
	var of []int
	for _, w := range words {
		of = append(of, b.named(w, spans(w))...)
		for _, n := range b.normal {
			if n.Stem(one) == n.Stem(w) {
				return m, false
			}
		}
	}
	b.standing(stand{of: of}, func() { m = b.rows(one, true) })
	return m, true
}

// numbers reports whether words are the parts of one number: an ISBN, a number of a telephone.
func numbers(words []string) bool {
	all := strings.Join(words, "")
	return len(all) >= leastGrouped && len(all) <= mostGrouped && strings.Trim(all, "0123456789") == ""
}

// wholly lets all words of a query be one word on a page (getelementbyid for get element by id); ok
// is false if it has other parts than a few words.
func (b *builder) wholly(parts []query.Node) (one rank.Match, ok bool) {
	if len(parts) < 3 || len(parts) > maxJoined {
		return one, false
	}
	var words []string
	for _, part := range parts {
		w, is := plain(part)
		if !is || !letters(w) || len(spans(w)) != 1 || spans(w)[0].Pair {
			return one, false
		}
		words = append(words, w)
	}
	return b.compound(words)
}

// dotted requires the name with a point that a word may be: .NET for dotnet.
func (b *builder) dotted(word string, scored bool) (m rank.Match, ok bool) {
	name, ok := strings.CutPrefix(text.Fold(word), "dot")
	if !ok || utf8.RuneCountInString(name) < 3 || !letters(name) {
		return m, false
	}
	name = "." + name
	m = rank.Match{Op: rank.HasForm, Word: b.add(name, text.Span{End: len(name)}, "", scored)}
	return m, true
}
