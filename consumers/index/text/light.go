package text

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
)

// lightEndings returns the endings of nouns and adjectives, and the commonest of verbs, of a
// language for which there is no stemmer; "" for other languages. Letters of Latin and Greek words
// have no marks there (see rules). They are from grammars, not from dictionaries: an ending that is
// a part of the word is taken away as well, from all of its forms alike.
func lightEndings(a Analyser) string {
	switch a {
	case "pl":
		return "owie owych owego owemu owymi owym owej ami iami ach iach ow owi iego iemu ego emu ymi imi ych ich ym im om iom em iem ej iej ie ia io iu a e i o u y"
	case "cs", "sk":
		return "ovi ove ami emi imi ymi ech ich ych ach iach eho emu iho imu ych ym im om em am iam iami ou ov ej ia ie iu a e i o u y"
	case "hr":
		return "ovima evima ovi evi ova eva ove eve ama ima ijeg ijem og oga om ome em ega eg emu oj ih im iji ija ije u a e i o"
	case "lt":
		return "iuose iuosius uose iais iams iose ose ais ams omis oms osius iai iui ui ai as es is us ys os ios ius iu ia io ie a e i o u y"
	case "lv":
		return "iem ajam ajai ajos ajas ajiem ais ajs am ai as es is us os iem im um em am ie ei ij u a e i o s"
	case "et":
		return "desse dest dele delt deks dega tesse test tele telt teks tega sed sse ste ses sest sel selt seks sega se ne de te st le lt ks ni na ta ga d s l t a e i u"
	case "uk":
		return "ськими ським ської ську ами ями ові еві єві ого ому его ому ими іми їми ах ях ів їв ей ом ем єм ам ям ою ею єю ій ий им ім их іх ої у а я и і ї е є о ю ь й"
	case "bg":
		return "овете евете ищата овци ият ът ят ите ата ята ото ето ове еве ища ия ий ът а я о е и у ю"
	case "el":
		return "ματων ματα ματοσ εων εισ ουσ ων ου οι εσ ασ ησ οσ ισ υσ α η ο ι υ ε"
	case "hi":
		return "ियों ियां ियाँ ाओं ाएं ाएँ ुओं ुएं ों ें ां ाँ ीं ओं एं ी ि ा े ो ू ु"
	case "id":
		return "nyalah lah kah pun nya ku mu"
	}
	return ""
}

// light returns a stemmer that takes endings away, the longest first. At least two letters remain,
// and three if the ending has more than one; for Indonesian, four.
func light(a Analyser) stemmer {
	listed := lightEndings(a)
	if listed == "" {
		return nil
	}
	endings := strings.Fields(listed)
	slices.SortStableFunc(endings, func(x, y string) int { return utf8.RuneCountInString(y) - utf8.RuneCountInString(x) })
	least := func(ending string) int {
		switch {
		case a == "id":
			return 4
		case utf8.RuneCountInString(ending) > 1 && a != "lt" && a != "hi":
			return 3
		}
		return 2
	}
	return func(env *snowballstem.Env) bool {
		word := env.Current()
		for _, ending := range endings {
			if stem, ok := strings.CutSuffix(word, ending); ok && utf8.RuneCountInString(stem) >= least(ending) {
				word = stem
				break
			}
		}
		env.SetCurrent(slavic(a, word))
		return true
	}
}

// fleetingLetters is how many letters a stem has from which on the e before its last one is taken
// for one that other forms lack (książek, książka).
const fleetingLetters = 5

// slavic makes one of the endings of a stem that differ by case: biblioteka, w bibliotece; noga,
// nodze; książka, książek. All forms of a word are changed alike, so it does no harm where the
// letters belong to the word.
func slavic(a Analyser, stem string) string {
	switch a {
	case "pl", "cs", "sk":
	case "uk":
		if rest, ok := strings.CutSuffix(stem, "ок"); ok && utf8.RuneCountInString(rest) > 2 {
			return rest + "к" // річок, річка
		}
		return stem
	default:
		return stem
	}
	if rest, ok := strings.CutSuffix(stem, "i"); ok && len(rest) > 2 {
		stem = rest
	}
	if n := len(stem); n >= fleetingLetters && stem[n-2] == 'e' && strings.IndexByte("kclnr", stem[n-1]) >= 0 && strings.IndexByte("aeiouy", stem[n-3]) < 0 {
		stem = stem[:n-2] + stem[n-1:]
	}
	if a == "pl" {
		for _, pair := range [...][2]string{{"dz", "g"}, {"rz", "r"}, {"c", "k"}} {
			if rest, ok := strings.CutSuffix(stem, pair[0]); ok && len(rest) > 1 {
				return rest + pair[1]
			}
		}
	}
	return stem
}
