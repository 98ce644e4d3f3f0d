package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// vocabulary asks all shards for words, and returns the most common first.
func (r *run) vocabulary(look rank.Lookup) []rank.Form {
	answers := make([][]rank.Form, len(r.shards))
	r.each(func(ctx context.Context, i int, s Shard) error {
		var err error
		answers[i], err = s.Vocabulary(ctx, &look)
		return err
	})
	at := map[string]int{}
	var all []rank.Form
	for _, forms := range answers {
		for _, f := range forms {
			i, known := at[f.Text]
			if !known {
				i = len(all)
				at[f.Text] = i
				all = append(all, rank.Form{Text: f.Text})
			}
			all[i].Docs += f.Docs
		}
	}
	slices.SortStableFunc(all, func(x, y rank.Form) int { return cmp.Or(rank.Commoner(x, y), cmp.Compare(x.Text, y.Text)) })
	return all
}

// The bounds of "did you mean". A word on more than rareWord pages is not corrected. A correction
// must be on more than muchCommoner times as many pages. At most maxCorrected words of a query are
// tried.
const (
	rareWord     = 3
	muchCommoner = 10
	maxCorrected = 3
	maxAlike     = 50
	leastBegun   = 5 // letters of a word of which longer ones are offered
)

// meant returns the query in which words on no page, or nearly none, are replaced by similar words
// of the index; "" if there are none. It tries only if the query found few pages.
func (r *run) meant(typed string, c *compiled, stats *rank.Stats, total int64, relaxed bool) string {
	if total >= r.opts.RelaxBelow && !relaxed {
		return ""
	}
	if total == 0 {
		for _, other := range []func() string{
			func() string { return writtenAsOne(r, typed, c) },
			func() string { return otherLayout(r, typed) },
			func() string { return optionsQuoted(r, typed) },
		} {
			if q := other(); q != "" {
				return q
			}
		}
	}
	corrected, tries := typed, 0
	for i, w := range c.words[:c.typed()] {
		if !c.scored[i] || c.stoodFor(i, stats) || w.Begin || stats.Found(i) > rareWord || tries == maxCorrected || !correctable(w) || !strings.Contains(typed, w.Typed) {
			continue
		}
		tries++
		if form := instead(r, c, stats, i, typed); form != "" {
			corrected = replaceWord(corrected, w.Typed, form)
		}
	}
	if corrected == typed {
		return joined(r, typed, c, total)
	}
	return corrected
}

// instead returns what was probably meant by a word on no page, or nearly none: two words, if it is
// on none and they are on one behind each other, else a similar word, else longer words that begin
// with it, such as compounds.
func instead(r *run, c *compiled, stats *rank.Stats, word int, typed string) string {
	if w := c.words[word]; !w.Cut && stats.Found(word) == 0 {
		if two := apart(r, w.Typed); two != "" {
			return two
		}
	}
	if form := r.alike(c, stats, word); form != "" || c.words[word].Cut || stats.Found(word) > 0 || !alone(c.words[word].Typed, typed) {
		return form
	}
	return begun(r, c.words[word].Typed)
}

// alone reports whether a word stands in a query by itself, outside of quotes and operators, where
// a star may follow it.
func alone(word, typed string) bool {
	return slices.Contains(strings.Fields(typed), word) && !strings.ContainsAny(typed, query.Quotes)
}

// begun returns a word with a star if words of the index begin with it: strassenverkehr* for
// Straßenverkehr, where pages have only Straßenverkehrsordnung.
func begun(r *run, typed string) string {
	begin := strings.ReplaceAll(text.Fold(typed), "ё", "е")
	if utf8.RuneCountInString(begin) < leastBegun || strings.ContainsFunc(begin, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsMark(c) }) ||
		len(r.vocabulary(rank.Lookup{Begin: begin, Limit: 1})) == 0 {
		return ""
	}
	return begin + "*"
}

// correctable reports whether a word has enough letters to be recognised by the others.
func correctable(w rank.Word) bool {
	n := utf8.RuneCountInString(w.Typed)
	return n >= 4 && n <= 20 && text.Form(w.Typed) != "" || w.Cut && utf8.RuneCountInString(w.Form) >= 3
}

// alike returns the word that was probably meant. Words on pages with the other words of the query
// come first, if there are any; of these the nearest, then one with the same first letter, then the
// most common.
func (r *run) alike(c *compiled, stats *rank.Stats, word int) string {
	typed := strings.ReplaceAll(text.Fold(c.words[word].Typed), "ё", "е")
	look := rank.Lookup{Like: typed, Distance: 1, Limit: maxAlike}
	if utf8.RuneCountInString(typed) >= 6 {
		look.Distance = 2
	}
	found := stats.Found(word)
	good := func(f rank.Form) bool { return f.Text != typed && f.Docs > found*muchCommoner }
	var others []rank.Match
	for i := range c.words {
		if i != word && c.scored[i] && stats.Found(i) > rareWord {
			others = append(others, rank.Match{Op: rank.Has, Word: i})
		}
	}
	if len(others) > 0 {
		with := look
		with.Words, with.Within = c.words, all(others)
		if best := nearest(slices.DeleteFunc(r.vocabulary(with), func(f rank.Form) bool { return f.Text == typed || found > 0 && !good(f) }), typed); best != "" {
			return best
		}
	}
	return nearest(slices.DeleteFunc(r.vocabulary(look), func(f rank.Form) bool { return !good(f) }), typed)
}

func nearest(forms []rank.Form, typed string) string {
	if len(forms) == 0 {
		return ""
	}
	first, _ := utf8.DecodeRuneInString(typed)
	cost := func(f rank.Form) int {
		n := 2 * editDistance([]rune(f.Text), []rune(typed))
		if r, _ := utf8.DecodeRuneInString(f.Text); r != first {
			n++
		}
		return n
	}
	return slices.MinFunc(forms, func(x, y rank.Form) int {
		return cmp.Or(cmp.Compare(cost(x), cost(y)), cmp.Compare(y.Docs, x.Docs), cmp.Compare(x.Text, y.Text))
	}).Text
}

// editDistance counts the letters to change, leave out, insert, or swap with the next (optimal
// string alignment distance).
func editDistance(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// replaceWord replaces the first occurrence of a word that is not a part of a longer one.
func replaceWord(s, word, by string) string {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return s
		}
		start, end := from+i, from+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(s[:start])
		after, _ := utf8.DecodeRuneInString(s[end:])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) || unicode.Is(unicode.Han, after) || unicode.Is(unicode.Han, before) {
			return s[:start] + by + s[end:]
		}
		from = end
	}
}

// Suggest completes the last word of what was typed, with words on pages that have the words before
// it, the most common first. It returns nothing after a space or an operator.
func (s *Searcher) Suggest(ctx context.Context, typed string, limit int) ([]string, error) {
	if limit < 1 || limit > maxSuggestions {
		limit = maxSuggestions
	}
	begin, before := lastWord(typed)
	if begin == "" || len(typed) > s.opts.Limits.MaxBytes {
		return nil, nil
	}
	look := rank.Lookup{Begin: begin, Limit: limit}
	var out []string
	err := s.during(ctx, func(r *run) error {
		if node, err := query.Parse(before, s.opts.Limits); err == nil {
			c := compile(node, r.analysers())
			look.Words, look.Within = c.words, c.strict
		}
		forms := r.vocabulary(look)
		for _, f := range forms[:min(limit, len(forms))] {
			if f.Text != begin {
				out = append(out, before+f.Text)
			}
		}
		if r.answering() == 0 {
			return ErrNoShard
		}
		return nil
	})
	return out, err
}

const maxSuggestions = 10

// lastWord splits off the word that is being typed, in the form of the vocabulary. It must have at
// least two letters, or one Chinese character.
func lastWord(typed string) (begin, before string) {
	if len(typed) > 4<<10 || !utf8.ValidString(typed) {
		return "", ""
	}
	at := len(typed)
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(typed[:at])
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			break
		}
		at -= size
	}
	word := strings.ReplaceAll(text.Fold(typed[at:]), "ё", "е")
	runes := []rune(word)
	if len(word) > 40 || len(runes) < 2 && !(len(runes) == 1 && unicode.Is(unicode.Han, runes[0])) {
		return "", ""
	}
	if at > 0 && strings.ContainsAny(typed[at-1:at], `:-"*`) {
		return "", ""
	}
	return word, typed[:at]
}
