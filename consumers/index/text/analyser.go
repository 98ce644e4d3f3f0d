package text

import (
	"slices"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// Analyser is a set of rules, named by the tag of its terms. The zero value is the analyser of
// English, Russian, Arabic, Chinese, Japanese, Korean and of text in an unknown language.
type Analyser string

// Plain does no stemming; it is for languages without a stemmer here.
const Plain Analyser = "x"

// Rules is the version of the rules in this package. It is part of Shape, the hash of an index's
// options: after a change the old terms are not found, so the index must be filled again.
const Rules = "8"

// Analysers lists every analyser a document can be indexed with.
func Analysers() []Analyser {
	return []Analyser{
		"", "bg", "cs", "da", "de", "el", "es", "et", "fi", "fr", "hi", "hr", "hu", "id", "it", "lt", "lv", "nl", "no", "pl", "pt", "ro", "sk", "sv", "tr", "uk", Plain,
	}
}

// ForLanguage chooses the analyser of a document from its language tag ("en", "pt-BR", "zh_Hant").
func ForLanguage(tag string) Analyser {
	primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	switch primary {
	case "", "und", "en", "ru", "ar", "zh", "ja", "ko", "th", "lo", "km", "my":
		return ""
	case "nb", "nn":
		return "no"
	case "sr", "bs", "sh":
		return "hr"
	case "ms":
		return "id"
	}
	a := Analyser(primary)
	if a != Plain && slices.Contains(Analysers(), a) {
		return a
	}
	return Plain
}

// Compounds reports whether words of the language are written as one with others:
// Schifffahrtsgesellschaft.
func (a Analyser) Compounds() bool {
	switch a {
	case "da", "de", "et", "fi", "hu", "nl", "no", "sv":
		return true
	}
	return false
}

// Term returns the term in the dictionary of the index.
func (a Analyser) Term(stem string) string {
	if a == "" {
		return stem
	}
	return string(a) + ":" + stem
}

type stemmer func(*snowballstem.Env) bool

// latin returns the stemmer for words in Latin script; nil if there is none.
func (a Analyser) latin() stemmer {
	switch a {
	case "":
		return stemEnglish
	case "da":
		return danish.Stem
	case "de":
		return german.Stem
	case "es":
		return spanish.Stem
	case "fi":
		return finnish.Stem
	case "fr":
		return french.Stem
	case "hu":
		return hungarian.Stem
	case "it":
		return italian.Stem
	case "nl":
		return dutch.Stem
	case "no":
		return norwegian.Stem
	case "pt":
		return portuguese.Stem
	case "ro":
		return romanian.Stem
	case "sv":
		return swedish.Stem
	case "tr":
		return turkish.Stem
	case "cs", "et", "hr", "id", "lt", "lv", "pl", "sk":
		return light(a)
	}
	return nil
}

// needsMarks reports whether the stemmer for Latin words must see their marks: those of Snowball
// do, but for English.
func (a Analyser) needsMarks() bool { return a != "" && lightEndings(a) == "" && a != Plain }

// cyrillic returns the stemmer for words in Cyrillic script; nil if there is none.
func (a Analyser) cyrillic() stemmer {
	switch a {
	case Plain:
		return nil
	case "uk", "bg":
		return light(a)
	}
	return russian.Stem
}

// other returns the stemmer for words in Greek or Devanagari; nil if there is none.
func (a Analyser) other() stemmer {
	if a == "el" || a == "hi" {
		return light(a)
	}
	return nil
}

// arabic returns the stemmer for words in Arabic script; nil if there is none.
func (a Analyser) arabic() stemmer {
	if a != "" {
		return nil // it may be Persian or Urdu
	}
	return stemArabic
}

// stemArabic is Snowball's Arabic stemmer, which takes the article away, but not together with the
// "and" or "so" that is written as one word with it.
func stemArabic(env *snowballstem.Env) bool {
	for _, joined := range [...]string{"و", "ف"} {
		if rest, ok := strings.CutPrefix(env.Current(), joined+"ال"); ok && len(rest) >= 3*len("و") {
			env.SetCurrent("ال" + rest)
		}
	}
	return arabic.Stem(env)
}
