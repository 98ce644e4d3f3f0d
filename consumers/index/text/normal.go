package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"golang.org/x/text/unicode/norm"
)

// MaxTermBytes cuts longer words (they are encoded data, not language) on both sides alike.
const MaxTermBytes = 64

// Normaliser turns words into terms by the rules of one analyser. It is not safe for concurrent
// use.
type Normaliser struct {
	analyser Analyser
	latin    stemmer
	cyrillic stemmer
	env      *snowballstem.Env
	known    map[string]*Word // what was seen lately
	before   map[string]*Word // what was seen before that
	texts    uint64
}

// Word is what is known of a spelling.
type Word struct {
	Stem string // in lower case, accents folded, ending removed
	Term string // the stem with the tag of its analyser, as it stands in the index
	Form string // see Form

	// For who uses the Normaliser: the text in which the word was met last, by number, and what was
	// noted of it there.
	Text uint64
	Note int
}

// maxKnown bounds the memory of a Normaliser to about 2 MB; a language's 8,000 commonest words are
// 90 % of its text.
const maxKnown = 6 << 10

// NewNormaliser returns a normaliser for the analyser.
func NewNormaliser(a Analyser) *Normaliser {
	return &Normaliser{analyser: a, latin: a.latin(), cyrillic: a.cyrillic(), env: snowballstem.NewEnv(""), known: map[string]*Word{}}
}

// Text returns the number of another text.
func (n *Normaliser) Text() uint64 {
	n.texts++
	return n.texts
}

// Stem returns the stem of a word.
func (n *Normaliser) Stem(word string) string { return n.Word(word).Stem }

// Word returns what is known of a word. It is the same for as long as the word comes again within
// the next maxKnown new ones.
func (n *Normaliser) Word(word string) *Word {
	if w := n.known[word]; w != nil {
		return w
	}
	w := n.before[word]
	if w == nil {
		spelling := strings.Clone(word) // it may be a piece of a page
		stem := n.rules(spelling)
		w = &Word{Stem: stem, Term: n.analyser.Term(stem), Form: Form(spelling)}
		word = spelling
	} else {
		word = strings.Clone(word)
	}
	if len(n.known) >= maxKnown {
		n.before, n.known = n.known, make(map[string]*Word, maxKnown)
	}
	n.known[word] = w
	return w
}

func (n *Normaliser) rules(word string) string {
	lower, ascii, mixed := fold(word)
	if mixed || len(lower) > MaxTermBytes {
		return cut(lower)
	}
	if ascii {
		return cut(n.stem(n.latin, lower))
	}
	first, _ := utf8.DecodeRuneInString(lower)
	switch {
	case unicode.Is(unicode.Cyrillic, first):
		return cut(n.stem(n.cyrillic, strings.ReplaceAll(lower, "ё", "е")))
	case unicode.Is(unicode.Latin, first) && n.analyser == "":
		return cut(n.stem(n.latin, unaccent(lower)))
	case unicode.Is(unicode.Latin, first):
		return cut(unaccent(n.stem(n.latin, lower))) // these stemmers read the accents
	}
	return cut(lower)
}

func (n *Normaliser) stem(s stemmer, word string) string {
	if s == nil {
		return word
	}
	n.env.SetCurrent(word)
	s(n.env)
	return n.env.Current()
}

// fold lowers the case, and of what is not ASCII folds full-width forms, composes accents and drops
// what is invisible.
func fold(word string) (lower string, ascii, mixed bool) {
	ascii = true
	upper := false
	for i := 0; i < len(word); i++ {
		c := word[i]
		ascii = ascii && c < utf8.RuneSelf
		upper = upper || 'A' <= c && c <= 'Z'
		mixed = mixed || c < utf8.RuneSelf && !asciiLetter(c)
	}
	if ascii && !upper {
		return word, ascii, mixed
	}
	if !ascii {
		word = norm.NFC.String(strings.Map(visible, word))
	}
	return strings.ToLower(word), ascii, mixed
}

func visible(r rune) rune {
	switch {
	case joiner(r):
		return -1
	case 0xFF01 <= r && r <= 0xFF5E:
		return r - 0xFEE0
	}
	return r
}

// unaccent removes the marks of Latin letters, so that cafe finds café.
func unaccent(word string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return barless(r)
	}, norm.NFD.String(word)))
}

// barless replaces Latin letters that Unicode does not decompose. What stands for two letters keeps
// the first.
func barless(r rune) rune {
	switch r {
	case 'ł':
		return 'l'
	case 'ø', 'œ':
		return 'o'
	case 'đ', 'ð':
		return 'd'
	case 'ħ':
		return 'h'
	case 'ı':
		return 'i'
	case 'æ':
		return 'a'
	}
	return r
}

func cut(term string) string {
	if len(term) <= MaxTermBytes {
		return term
	}
	end := MaxTermBytes
	for !utf8.RuneStart(term[end]) {
		end--
	}
	return term[:end]
}

// Fold returns a word in lower case, without what is invisible.
func Fold(word string) string {
	lower, _, _ := fold(word)
	return lower
}
