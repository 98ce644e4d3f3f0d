package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Variant is another spelling of a word, in texts of one analyser.
type Variant struct {
	Analyser Analyser
	Word     string
}

// Variants returns other spellings of a word that mean the same: British and American ones, forms
// that a stemmer does not bring together (see inflected and russianForms), letters of German,
// Danish, Norwegian and Swedish that were typed as two, and the two ways to type Persian. They are
// for queries only; pages are indexed as they are written. A spelling that no page has costs a look
// into the dictionary.
func Variants(word string) []Variant {
	word = Fold(word)
	var all []Variant
	add := func(a Analyser, other string) {
		if other != word && other != "" {
			all = append(all, Variant{a, other})
		}
	}
	first, _ := decode(word)
	if unicode.Is(unicode.Cyrillic, first) {
		russianForms(word, func(other string) { add("", other) })
		return all
	}
	if unicode.Is(unicode.Hebrew, first) {
		hebrewForms(word, func(other string) { add(Plain, other) })
		return all
	}
	if unicode.Is(unicode.Latin, first) && utf8.RuneCountInString(word) > 1 {
		inflected(word, add)
	}
	if lettersOnly(word) && len(word) > 2 {
		add("", acrossTheOcean(word))
		add("de", umlauts(word, "ä", "ö"))
		add("sv", typedAsTwo(word, "ä", "ö"))
		add("da", typedAsTwo(word, "æ", "ø"))
		add("no", typedAsTwo(word, "æ", "ø"))
		return all
	}
	if strings.ContainsAny(word, "كيىک\u06cc") {
		add(Plain, strings.NewReplacer("ك", "ک", "ي", "\u06cc", "ى", "\u06cc").Replace(word))
		add("", strings.NewReplacer("ک", "ك", "\u06cc", "ي").Replace(word))
	}
	return all
}

// hebrewForms adds a Hebrew word with the article, prepositions and conjunctions that are written
// as one word with it, and the word without one of them.
func hebrewForms(word string, add func(string)) {
	if rest := strings.TrimLeft(word, "הובלכמש"); utf8.RuneCountInString(rest) > 1 {
		for _, before := range [...]string{"ה", "ו", "ב", "ל", "כ", "מ", "ש", "וה", "שה", "מה", "וב"} {
			add(before + word)
		}
	}
	if _, size := utf8.DecodeRuneInString(word); utf8.RuneCountInString(word) > 3 && strings.ContainsRune("הובלכמש", []rune(word)[0]) {
		add(word[size:])
	}
}

// Bare returns a word in small letters, without the marks of Latin letters.
func Bare(word string) string { return unaccent(Fold(word)) }

// Marked returns the analysers whose stemmers need the marks of Latin letters. A page has the stem
// of a word without them too.
func Marked() []Analyser {
	return slices.DeleteFunc(Analysers(), func(a Analyser) bool { return !a.needsMarks() })
}

// Elision reports whether a word before an apostrophe is an article or another function word of
// French, Italian or Catalan that lost its vowel: l'eau, dell'isola.
func Elision(word string) bool {
	switch Fold(word) {
	case "l", "d", "j", "m", "t", "s", "n", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "un", "dell", "all", "dall", "nell", "sull", "quell", "quest", "coll":
		return true
	}
	return false
}

// typedAsTwo reads ae, oe and aa as the letters that they stand for where a keyboard lacks these.
func typedAsTwo(word, ae, oe string) string {
	return strings.NewReplacer("ae", ae, "oe", oe, "aa", "å").Replace(word)
}

// umlauts reads ae, oe and ue as umlauts; but not the ue of neue, Bauer and Quelle.
func umlauts(word, ae, oe string) string {
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		two := ""
		if i+1 < len(word) && word[i+1] == 'e' {
			two = word[i : i+2]
		}
		switch {
		case two == "ae":
			b.WriteString(ae)
		case two == "oe":
			b.WriteString(oe)
		case two == "ue" && (i == 0 || !strings.ContainsRune("aeoq", rune(word[i-1]))):
			b.WriteString("ü")
		default:
			b.WriteByte(word[i])
			continue
		}
		i++
	}
	return b.String()
}

// otherNumber returns the plural of an irregular English noun, or the singular of its plural; "" if
// the word is neither. Left out are words whose other number is mostly another word: lives, axes.
func otherNumber(word string) string {
	for _, pair := range [...]string{
		"child children", "man men", "woman women", "mouse mice", "louse lice", "goose geese", "foot feet", "tooth teeth", "ox oxen",
		"wolf wolves", "knife knives", "wife wives", "half halves", "shelf shelves", "loaf loaves", "thief thieves", "calf calves",
		"elf elves", "leaf leaves", "person people", "scarf scarves", "hoof hooves", "matrix matrices", "vertex vertices", "index indices", "appendix appendices",
		"vortex vortices", "helix helices", "apex apices", "analysis analyses", "crisis crises",
		"hypothesis hypotheses", "synthesis syntheses", "diagnosis diagnoses", "parenthesis parentheses", "emphasis emphases",
		"criterion criteria", "phenomenon phenomena", "bacterium bacteria", "curriculum curricula", "spectrum spectra",
		"stratum strata", "formula formulae", "larva larvae", "antenna antennae", "nebula nebulae", "alga algae", "vertebra vertebrae",
		"nucleus nuclei", "radius radii", "stimulus stimuli", "fungus fungi", "cactus cacti", "locus loci", "genus genera", "corpus corpora",
		"alumnus alumni", "syllabus syllabi", "quantum quanta", "maximum maxima", "minimum minima", "optimum optima",
	} {
		one, many, _ := strings.Cut(pair, " ")
		switch word {
		case one:
			return many
		case many:
			return one
		}
	}
	return ""
}

// acrossTheOcean returns the American spelling of a British word, or the British one of an American
// word; the word itself if there is one spelling.
func acrossTheOcean(word string) string {
	for _, pair := range [...]string{
		"centred centered", "centre center", "theatre theater", "fibre fiber", "litre liter", "calibre caliber", "spectre specter",
		"lustre luster", "sombre somber", "meagre meager", "sabre saber",
		"colour color", "favour favor", "flavour flavor", "behaviour behavior", "harbour harbor", "honour honor", "humour humor",
		"labour labor", "neighbour neighbor", "rumour rumor", "saviour savior", "savour savor", "vapour vapor", "vigour vigor",
		"rigour rigor", "odour odor", "armour armor", "tumour tumor", "endeavour endeavor", "parlour parlor", "splendour splendor",
		"fervour fervor", "valour valor", "clamour clamor", "glamour glamor", "demeanour demeanor", "misdemeanour misdemeanor",
		"catalogue catalog", "dialogue dialog", "analogue analog", "monologue monolog",
		"defence defense", "offence offense", "licence license", "pretence pretense", "practise practice",
		"programme program", "grey gray", "aluminium aluminum", "aeroplane airplane", "judgement judgment",
		"acknowledgement acknowledgment", "artefact artifact", "mould mold", "plough plow", "sceptic skeptic", "manoeuvre maneuver",
		"jewellery jewelry", "moustache mustache", "pyjama pajama", "yoghurt yogurt", "doughnut donut", "skilful skillful",
		"instalment installment", "sulphur sulfur",
		"anaemi anemi", "anaesthe anesthe", "encyclopaedi encyclopedi", "paediatr pediatr", "oestrogen estrogen", "foetus fetus",
		"foetal fetal", "diarrhoea diarrhea", "haemo hemo", "leukaemi leukemi", "archaeolog archeolog", "oesophag esophag",
		"orthopaed orthoped", "palaeo paleo", "gynaecolog gynecolog", "mediaeval medieval",
	} {
		british, american, _ := strings.Cut(pair, " ")
		if rest, ok := strings.CutPrefix(word, british); ok {
			return american + rest
		}
		if rest, ok := strings.CutPrefix(word, american); ok {
			return british + rest
		}
	}
	for _, ending := range [...]string{
		"isation ization", "isations izations", "isational izational", "ise ize", "ised ized", "ises izes", "iser izer", "isers izers",
		"ising izing", "isable izable", "lyse lyze", "lysed lyzed", "lyser lyzer", "lysing lyzing", "metre meter", "metres meters",
	} {
		british, american, _ := strings.Cut(ending, " ")
		if root, ok := strings.CutSuffix(word, british); ok && len(root) > 2 || british == "metre" && word == "metre" || british == "metres" && word == "metres" {
			return root + american
		}
		if root, ok := strings.CutSuffix(word, american); ok && len(root) > 2 || american == "meter" && word == "meter" || american == "meters" && word == "meters" {
			return root + british
		}
	}
	return word
}
