package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"golang.org/x/text/unicode/norm"
)

// MaxTermBytes is the length to which longer words are cut, in pages and in queries; such words are
// encoded data.
const MaxTermBytes = 64

// Normaliser turns words into terms by the rules of one analyser. It is not safe for concurrent
// use.
type Normaliser struct {
	analyser Analyser
	latin    stemmer
	cyrillic stemmer
	arabic   stemmer
	other    stemmer
	env      *snowballstem.Env
	known    map[string]*Word // words seen lately
	before   map[string]*Word // words seen before those
	texts    uint64
}

// Word is a spelling with what the rules make of it.
type Word struct {
	Stem string // in lower case, accents folded, ending removed
	Term string // the stem with the tag of its analyser
	Form string // see Form

	// Further terms under which a page with the word is found: its stem without marks, as it is
	// if the marks are not typed; the parts of an identifier.
	Also []string

	// For the caller: the number of the text in which the word was met last, and a note about it
	// there.
	Text uint64
	Note int
}

// maxKnown bounds the memory of a Normaliser to about 2 MB. The 8,000 most common words of a
// language are 90 % of its text.
const maxKnown = 6 << 10

// NewNormaliser returns a normaliser for the analyser.
func NewNormaliser(a Analyser) *Normaliser {
	return &Normaliser{analyser: a, latin: a.latin(), cyrillic: a.cyrillic(), arabic: a.arabic(), other: a.other(), env: snowballstem.NewEnv(""), known: map[string]*Word{}}
}

// Text returns a new number for a text.
func (n *Normaliser) Text() uint64 {
	n.texts++
	return n.texts
}

// Stem returns the stem of a word.
func (n *Normaliser) Stem(word string) string { return n.Word(word).Stem }

// Word returns what the rules make of a word. Calls return the same Word as long as the word comes
// again within the next maxKnown new ones.
func (n *Normaliser) Word(word string) *Word {
	if w := n.known[word]; w != nil {
		return w
	}
	w := n.before[word]
	if w == nil {
		spelling := strings.Clone(word) // it may be a piece of a page
		stem := n.rules(spelling)
		w = &Word{Stem: stem, Term: n.analyser.Term(stem), Form: Form(spelling), Also: n.also(spelling, stem)}
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
	lower, ascii, mixed := fold(withoutPoints(strings.TrimPrefix(word, "."))) // .NET has the stem of NET
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
	case unicode.Is(unicode.Arabic, first):
		return cut(n.stem(n.arabic, lower))
	case unicode.Is(unicode.Devanagari, first):
		return cut(n.stem(n.other, devanagari(lower)))
	case unicode.Is(unicode.Greek, first):
		return cut(n.stem(n.other, unaccent(lower)))
	case unicode.Is(unicode.Latin, first) && !n.analyser.needsMarks():
		return cut(n.stem(n.latin, unaccent(lower)))
	case unicode.Is(unicode.Latin, first):
		return cut(unaccent(n.stem(n.latin, lower))) // these stemmers need the accents
	case spaceless(first):
		return cut(strings.Map(simple, lower))
	}
	return cut(lower)
}

// also returns the further terms of a word.
func (n *Normaliser) also(word, stem string) []string {
	var all []string
	if bare := n.withoutMarks(word); bare != "" && bare != stem {
		all = append(all, n.analyser.Term(bare))
	}
	if parts := Humps(word); len(parts) >= leastHumps {
		for _, part := range parts {
			all = append(all, n.analyser.Term(n.rules(part)))
		}
	}
	return all
}

// withoutMarks returns the stem of a Latin word that is written without its marks; "" if it has
// none, or if its stem is that anyway.
func (n *Normaliser) withoutMarks(word string) string {
	if !n.analyser.needsMarks() || strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return ""
	}
	lower := Fold(word)
	first, _ := utf8.DecodeRuneInString(lower)
	if len(lower) > MaxTermBytes || !unicode.Is(unicode.Latin, first) && first >= utf8.RuneSelf {
		return ""
	}
	return cut(n.stem(n.latin, unaccent(lower)))
}

func (n *Normaliser) stem(s stemmer, word string) string {
	if s == nil {
		return word
	}
	n.env.SetCurrent(word)
	s(n.env)
	return n.env.Current()
}

// fold converts to lower case; in words that are not ASCII it also folds full-width forms and
// ligatures, composes accents, and removes invisible characters and what most texts leave out.
// mixed reports ASCII characters other than letters.
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
		word = strings.Map(written, norm.NFC.String(strings.Map(visible, Wide(apart(raised(word))))))
	}
	return strings.ToLower(word), ascii, mixed
}

// longestUnit is the most letters of a unit or variable: behind a longer word a small raised number
// is the mark of a note.
const longestUnit = 3

// raised writes small raised numbers as digits, as most people type m² and x³, and removes them
// behind words.
func raised(word string) string {
	bare := strings.TrimRight(word, "⁰¹²³⁴⁵⁶⁷⁸⁹")
	switch {
	case len(bare) == len(word) || !strings.ContainsFunc(bare, unicode.IsLetter):
		return word
	case utf8.RuneCountInString(bare) > longestUnit:
		return bare
	}
	return bare + norm.NFKC.String(word[len(bare):])
}

// apart writes characters that stand for several, or for another one, as these: the ligatures of
// printed Latin text (ﬁ), Roman numerals (Ⅳ), numbers in circles, and units (㎏).
func apart(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool {
		return 0xFB00 <= r && r <= 0xFB06 || 0x2160 <= r && r <= 0x217F || 0x2460 <= r && r <= 0x2473 || 0x24B6 <= r && r <= 0x24E9 || 0x3380 <= r && r <= 0x33DF
	}) {
		return norm.NFKC.String(word)
	}
	return word
}

// written removes what texts for learners and dictionaries have and others leave out: the vowels of
// Arabic and Hebrew, the stretching of Arabic words, and the stress of Cyrillic vowels, which has
// no composed form. Letters with a mark of their own, such as й, are composed by then and stay.
func written(r rune) rune {
	switch {
	case r == 0x0300 || r == 0x0301:
		return -1
	case r == '"' || r == '\'' || r == '’' || r == '״' || r == '׳': // inside of a Hebrew word
		return -1
	case 0x0591 <= r && r <= 0x05C7 && unicode.Is(unicode.Mn, r):
		return -1
	case 0x064B <= r && r <= 0x065F, r == 0x0670, r == 0x0640:
		return -1
	case r == 'ș' || r == 'Ș': // Romanian has two ways to write these; its stemmer knows this one
		return 'ş'
	case r == 'ț' || r == 'Ț':
		return 'ţ'
	case r == 'ѐ' || r == 'Ѐ':
		return 'е'
	case r == 'ѝ' || r == 'Ѝ':
		return 'и'
	}
	return r
}

func visible(r rune) rune {
	switch {
	case joiner(r):
		return -1
	case 0xFF01 <= r && r <= 0xFF5E:
		return r - 0xFEE0
	case '₀' <= r && r <= '₉': // H₂O
		return r - '₀' + '0'
	case r == 'µ': // the micro sign
		return 'μ'
	case r >= 0x0660 && unicode.Is(unicode.Nd, r):
		return digit(r)
	}
	return r
}

// digit writes the digit of another script, such as ٣, as that of ASCII. Unicode has the digits of
// a script one after the other, from zero on.
func digit(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	return r
}

// Wide writes half-width katakana as katakana.
func Wide(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return 0xFF65 <= r && r <= 0xFF9F }) {
		return norm.NFKC.String(s)
	}
	return s
}

// devanagari writes a word in the shorter of two usual ways: without the dots of foreign sounds
// (ज़), and with the dot for a nasal before a consonant of its own row (हिंदी for हिन्दी).
func devanagari(word string) string {
	letters := []rune(word)
	var b strings.Builder
	for i := 0; i < len(letters); i++ {
		r := letters[i]
		switch {
		case r == 0x093C:
		case r == 0x0901:
			b.WriteRune(anusvara)
		case i+2 < len(letters) && letters[i+1] == 0x094D && nasalOf(letters[i+2]) == r:
			b.WriteRune(anusvara)
			i++
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

const anusvara = 0x0902

// nasalOf returns the nasal of the row of a consonant of Devanagari; 0 if it has none, or is one.
func nasalOf(consonant rune) rune {
	for _, nasal := range [...]rune{0x0919, 0x091E, 0x0923, 0x0928, 0x092E} {
		if nasal-4 <= consonant && consonant < nasal {
			return nasal
		}
	}
	return 0
}

// unaccent removes the marks of Latin and Greek letters, so that cafe finds café and ΑΘΗΝΑ Αθήνα.
func unaccent(word string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(word) {
		if !unicode.Is(unicode.Mn, r) {
			bare(&b, r)
		}
	}
	return norm.NFC.String(b.String())
}

// bare writes a letter that Unicode does not decompose as people write it who lack its key, and the
// ς that Greek words end with as σ, because capitals have no such form.
func bare(b *strings.Builder, r rune) {
	switch r {
	case 'ł':
		r = 'l'
	case 'ø':
		r = 'o'
	case 'đ', 'ð':
		r = 'd'
	case 'ħ':
		r = 'h'
	case 'ı':
		r = 'i'
	case 'ς':
		r = 'σ'
	case 'æ':
		b.WriteString("ae")
		return
	case 'œ':
		b.WriteString("oe")
		return
	case 'ß':
		b.WriteString("ss")
		return
	case 'þ':
		b.WriteString("th")
		return
	}
	b.WriteRune(r)
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

// Fold returns a word in lower case, without invisible characters.
func Fold(word string) string {
	lower, _, _ := fold(word)
	return lower
}
