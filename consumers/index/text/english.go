package text

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stemEnglish is Snowball's English stemmer with two rules of its third version, which the library
// does not have yet: some beginnings are never cut into (international is not intern, university
// not universe), and psychologist is stemmed like psychology.
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
	// The library keeps "gener" whole: let it stand for the beginning.
	env.SetCurrent("gener" + rest)
	english.Stem(env)
	stem := beginning + strings.TrimPrefix(env.Current(), "gener")
	env.SetCurrent(stem)
	return true
}

// whole returns the beginning of a word that must stay whole, if it has one, and the rest.
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
