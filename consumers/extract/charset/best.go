package charset

import (
	"math"
	"unicode"
	"unicode/utf8"
)

// best decodes a sample with every candidate and returns the one with the smallest cost: the number
// of bits that a model of the script needs for the decoded text. All candidates decode the same
// bytes, so the costs can be compared. A candidate that costs more than the best one so far, or
// than limit, is given up; if all are, the result is the default.
func (d *Decoder) best(sample []byte, limit float64) (name string, least float64) {
	name, least = DefaultName, limit
	texts := make(map[string][]byte, 32)
	for i := range d.candidates {
		c := &d.candidates[i]
		text, decoded := texts[c.name]
		if !decoded {
			text = decodeAs(sample, c.name)
			texts[c.name] = text
		}
		if bits := c.model.costOf(text, least); bits < least {
			name, least = c.name, bits
		}
	}
	return name, least
}

// A declared encoding is contradicted by another one in which the bytes cost less than
// contradictsBelow of what they cost as declared, if there are at least leastContradicting bytes
// outside ASCII. On 170 declared pages and feeds of bench/extract's sets the declared encoding is
// the cheapest one, so the margin is for writing that no model knows.
const (
	contradictsBelow   = 0.75
	leastContradicting = 40
)

// contradicts returns the encoding that contradicts a declared one; "" if none does, or nothing is
// known of the declared one.
func (d *Decoder) contradicts(body []byte, name string) string {
	sample := wideSample(body)
	wide := 0
	for _, c := range sample {
		if c >= utf8.RuneSelf {
			wide++
		}
	}
	if wide < leastContradicting {
		return ""
	}
	declared, text := math.Inf(1), decodeAs(sample, name)
	for i := range d.candidates {
		if c := &d.candidates[i]; c.name == name {
			declared = min(declared, c.model.costOf(text, declared))
		}
	}
	if math.IsInf(declared, 1) {
		return ""
	}
	if other, cost := d.best(sample, contradictsBelow*declared); other != name && cost < contradictsBelow*declared {
		return other
	}
	return ""
}

// A candidate is an encoding with the model of the text for which it is used.
type candidate struct {
	name  string
	model *model
}

// candidates are in the order in which ties are decided: the superset first (windows-1252 before
// macintosh).
func candidates() []candidate {
	var list []candidate
	add := func(m model, names ...string) {
		for _, name := range names {
			list = append(list, candidate{name, &m})
		}
	}
	for _, m := range latinModels() {
		add(m, m.sets...)
	}
	add(cyrillicModel(), "windows-1251", "koi8-r", "koi8-u", "iso-8859-5", "ibm866", "ibm855", "x-mac-cyrillic")
	add(greekModel(), "windows-1253", "iso-8859-7")
	add(hebrewModel(), "windows-1255", "iso-8859-8")
	add(arabicModel(), "windows-1256", "iso-8859-6")
	add(thaiModel(), "windows-874")
	add(chineseModel(simplified), "gb18030")
	add(chineseModel(traditional), "big5")
	add(japaneseModel(), "shift_jis", "euc-jp")
	add(koreanModel(), "euc-kr")
	return list
}

// Costs in bits of characters that no model expects.
const (
	costBad      = 40 // a byte that cannot be decoded, a control character
	costStranger = 16 // a letter of another script, a box-drawing character
	costSymbol   = 9  // punctuation and signs outside ASCII
	costCase     = 12 // a capital after a small letter of the same word
	costMixed    = 8  // letters of two scripts in one word
	costASCII    = 5  // any ASCII byte: the same for all
)

// A model has the costs of the characters of one script or language.
type model struct {
	sets    []string
	letters map[rune]float64   // bits of each small letter
	rest    func(rune) float64 // bits of characters that are not in letters; 0 for characters that the model does not expect; may be nil
	cased   bool
	capital float64 // extra bits of a capital at the beginning of a word
	alone   float64 // extra bits of a letter of this model after another (Latin: accented letters are seldom adjacent)
	joins   bool    // letters of the model occur in words with ASCII letters
}

// costOf returns the cost of a decoded sample in bits; more than limit if it gave up.
func (m *model) costOf(text []byte, limit float64) float64 {
	total := 0.0
	var last rune
	for len(text) > 0 && total <= limit {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		total += m.price(r, last)
		last = r
	}
	return total
}

func (m *model) price(r, last rune) float64 {
	switch {
	case r < utf8.RuneSelf:
		return m.ascii(r, last)
	case r == utf8.RuneError || r < 0xa0 || 0xe000 <= r && r < 0xf900:
		return costBad
	}
	small := r
	if m.cased {
		small = unicode.ToLower(r)
	}
	bits, known := m.letters[small]
	if !known && m.rest != nil {
		bits = m.rest(r)
		known = bits > 0
	}
	if !known {
		return m.stranger(r, last)
	}
	if small != r {
		bits += m.capital
		if isSmall(last) {
			bits += costCase
		}
	}
	if m.alone > 0 && last >= utf8.RuneSelf && unicode.IsLetter(last) {
		bits += m.alone
	}
	if !m.joins && last < utf8.RuneSelf && isLetter(byte(last)) {
		bits += costMixed
	}
	return bits
}

func (m *model) ascii(r, last rune) float64 {
	switch {
	case r < ' ' && r != '\t' && r != '\n' && r != '\r':
		return costBad
	case !m.joins && isLetter(byte(r)) && last >= utf8.RuneSelf && unicode.IsLetter(last):
		return costASCII + costMixed
	case 'A' <= r && r <= 'Z' && last >= utf8.RuneSelf && isSmall(last):
		return costASCII + costCase
	}
	return costASCII
}

// stranger returns the cost of a character that the model does not have.
func (m *model) stranger(r, last rune) float64 {
	switch {
	case isQuote(r):
		return costSymbol - 2
	case unicode.IsLetter(r), 0x2500 <= r && r < 0x2600:
		return costStranger
	case unicode.IsLetter(last):
		return costSymbol + 3 // a sign after a letter: ® or ° sometimes, but in wrong decodings often
	}
	return costSymbol
}

func isSmall(r rune) bool { return unicode.IsLower(r) }

// isQuote reports whether r is punctuation of running text.
func isQuote(r rune) bool {
	switch r {
	case 0xa0, '«', '»', '–', '—', '“', '”', '„', '‘', '’', '…', '•', '·', '©', '№', '、', '。', '「', '」', '，', '・', '（', '）', '：', '！', '？', '《', '》', '　':
		return true
	}
	return false
}
