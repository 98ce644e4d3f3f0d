package text

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stemEnglish is Snowball's English stemmer with two rules of its third version, which the library
// does not have yet: some prefixes stay whole (international does not become intern, university not
// universe), and psychologist is stemmed like psychology.
func stemEnglish(env *snowballstem.Env) bool {
	word := env.Current()
	if stem, ok := strings.CutSuffix(strings.TrimSuffix(word, "s"), "ologist"); ok && stem != "" {
		env.SetCurrent(stem + "ology")
		return english.Stem(env)
	}
	beginning, rest := whole(word)
	if beginning == "" {
		return english.Stem(env)
	}
	// The library never cuts into "gener": it takes the place of the prefix.
	env.SetCurrent("gener" + rest)
	english.Stem(env)
	stem := beginning + strings.TrimPrefix(env.Current(), "gener")
	env.SetCurrent(stem)
	return true
}

// whole returns the prefix of a word that must stay whole, and the rest; "" if it has none.
func whole(word string) (beginning, rest string) {
	for _, b := range [...]string{"inter", "univers", "organ", "later", "emerg", "past"} {
		rest, ok := strings.CutPrefix(word, b)
		if !ok {
			continue
		}
		switch rest {
		case "", "s", "e", "es", "ed", "ing", "er": // endings, not syllables
			if b != "past" || rest == "" || rest == "s" || rest == "er" {
				return "", ""
			}
		}
		return b, rest
	}
	return "", ""
}
