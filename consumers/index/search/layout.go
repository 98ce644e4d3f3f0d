package search

import (
	"regexp"
	"strings"
	"unicode"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// The keys of the American and the Russian layout, in the same order.
const (
	latinKeys   = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
	russianKeys = "йцукенгшщзхъфывапролджэячсмитьбюё"
)

// otherLayout returns the query as it would be if it had been typed with the other keyboard layout
// (djlzyfz vtkmybwf: водяная мельница), if every word of it is on some page; else "".
func otherLayout(r *run, typed string) string {
	lower := []rune(strings.ToLower(typed))
	from, to := []rune(latinKeys), []rune(russianKeys)
	if strings.ContainsFunc(string(lower), func(c rune) bool { return unicode.Is(unicode.Cyrillic, c) }) {
		from, to = to, from
	}
	keys := map[rune]rune{' ': ' '}
	for i, c := range from {
		keys[c] = to[i]
	}
	for i, c := range lower {
		other, ok := keys[c]
		if !ok {
			return ""
		}
		lower[i] = other
	}
	words := strings.Fields(string(lower))
	if letterCount(string(lower)) < leastTyped {
		return ""
	}
	b := newBuilder(r.analysers())
	for _, w := range words {
		if b.placed(w, query.Anywhere, true, true); len(spans(w)) != 1 {
			return ""
		}
	}
	stats := r.stats(b.words)
	for _, w := range words {
		if stats.Found(b.byStem[w]) == 0 {
			return ""
		}
	}
	return strings.Join(words, " ")
}

// leastTyped is how many letters a query must have to be read in another keyboard layout.
const leastTyped = 4

func letterCount(s string) (n int) {
	for _, c := range s {
		if unicode.IsLetter(c) {
			n++
		}
	}
	return n
}

// excluded is a word behind a dash.
var excluded = regexp.MustCompile(`(^|\s)(-[\pL\pN]\S*)`)

// optionsQuoted returns the query with its exclusions as words, if it finds something then: of a
// command that was pasted (tar -xzvf), the dashes exclude what is looked for. It returns "" if not.
func optionsQuoted(r *run, typed string) string {
	if strings.ContainsAny(typed, query.Quotes) || !excluded.MatchString(typed) {
		return ""
	}
	quoted := excluded.ReplaceAllString(typed, `$1"$2"`)
	node, err := query.Parse(quoted, r.opts.Limits)
	if err != nil {
		return ""
	}
	c := compile(node, r.analysers())
	stats := r.stats(c.words)
	if r.top(&rank.Plan{
		Words: c.words, Weights: make([]float64, len(c.words)), Lengths: stats.Lengths(), Params: r.opts.Params, Match: c.strict, K: 1,
	}).total == 0 {
		return ""
	}
	return quoted
}

// writtenAsOne returns neighbours in the query that are on some page as one word (null pointer
// exception: NullPointerException), the longest first, in place; "" if there are none.
func writtenAsOne(r *run, typed string, c *compiled) string {
	b := newBuilder(r.analysers())
	var chains [][2]string // as typed, as one word
	for from := range c.pairs {
		words := []string{c.words[c.pairs[from].First].Typed}
		for at := from; at < len(c.pairs) && len(words) < maxJoined && (at == from || c.pairs[at].First == c.pairs[at-1].Second); at++ {
			words = append(words, c.words[c.pairs[at].Second].Typed)
			if apart := strings.Join(words, " "); strings.Contains(typed, apart) {
				chains = append(chains, [2]string{apart, strings.Join(words, "")})
			}
		}
	}
	for _, chain := range chains {
		b.placed(chain[1], query.Anywhere, true, true)
	}
	stats := r.stats(b.words)
	best := [2]string{}
	for _, chain := range chains {
		if at, known := b.byStem[chain[1]]; known && stats.Found(at) > 0 && len(chain[0]) > len(best[0]) && text.Form(chain[1]) != "" {
			best = chain
		}
	}
	if best[0] == "" {
		return ""
	}
	return strings.Replace(typed, best[0], best[1], 1)
}
