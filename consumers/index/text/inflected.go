package text

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/russian"
)

// inflected adds other forms of a word that the stemmers do not bring together with it. The word is
// in lower case. A rule that makes a word that does not exist costs a look into the dictionary.
func inflected(word string, add func(Analyser, string)) {
	for _, other := range verbForms(word) {
		add("", other)
	}
	add("", otherNumber(word))
	for _, row := range irregulars("de") {
		addOthers(row, word, "de", add)
	}
	for _, row := range irregulars("fr") {
		addOthers(row, word, "fr", add)
	}
	if root, ok := strings.CutSuffix(word, "z"); ok && len(root) > 1 {
		add("es", root+"ces") // luz, luces
	}
	if root, ok := strings.CutSuffix(word, "ces"); ok && len(root) > 1 {
		add("es", root+"z")
	}
	nasalPlurals(word, func(other string) { add("pt", other) })
	participles(word, func(other string) { add("de", other) })
}

// addOthers adds the other words of a row, if the word is one of them.
func addOthers(row []string, word string, a Analyser, add func(Analyser, string)) {
	for _, form := range row {
		if form == word {
			for _, other := range row {
				add(a, other)
			}
			return
		}
	}
}

// nasalPlurals adds the plurals of words in -ão, and the singular of such a plural; also if they
// were typed without their accents.
func nasalPlurals(word string, add func(string)) {
	for _, ending := range [...]string{"ão", "ao", "ões", "oes", "ães", "aes"} {
		root, ok := strings.CutSuffix(word, ending)
		if !ok || utf8.RuneCountInString(root) < 2 {
			continue
		}
		add(root + "ão")
		add(root + "ões")
		if root += "ães"; len(root) <= len("alemães") {
			add(root)
		}
	}
}

// participles adds the participle of a regular German verb, and the verb of a participle: machen,
// gemacht.
func participles(word string, add func(string)) {
	if root, ok := strings.CutSuffix(word, "en"); ok && len(root) > 2 {
		add("ge" + root + "t")
	}
	if root, ok := strings.CutPrefix(word, "ge"); ok {
		if root, ok = strings.CutSuffix(root, "t"); ok && len(root) > 2 {
			add(root + "en")
		}
	}
}

// irregulars returns rows of forms that belong together.
func irregulars(a Analyser) [][]string {
	switch a {
	case "de":
		return germanRows()
	case "fr":
		return frenchRows()
	}
	return nil
}

var frenchRows = sync.OnceValue(func() [][]string {
	return rowsOf("oeil yeux", "œil yeux", "ciel cieux", "monsieur messieurs", "madame mesdames", "mademoiselle mesdemoiselles")
})

var germanRows = sync.OnceValue(func() [][]string {
	return rowsOf(
		"beginnen begann begonnen", "bieten bot geboten", "binden band gebunden", "bleiben blieb geblieben", "brechen brach gebrochen",
		"brennen brannte gebrannt", "bringen brachte gebracht", "denken dachte gedacht", "entscheiden entschied entschieden", "essen gegessen",
		"fahren fuhr gefahren", "fallen fiel gefallen", "fangen fing gefangen", "finden fand gefunden", "fliegen flog geflogen",
		"fliehen floh geflohen", "fließen floss geflossen", "frieren fror gefroren", "geben gab gegeben", "gehen ging gegangen",
		"gelten galt gegolten", "genießen genoss genossen", "geschehen geschah", "gewinnen gewann gewonnen", "gießen goss gegossen",
		"graben grub gegraben", "greifen griff gegriffen", "halten hielt gehalten", "hängen hing gehangen", "heben hob gehoben",
		"helfen half geholfen", "kennen kannte gekannt", "kommen kam gekommen", "laden lud geladen", "lassen ließ gelassen",
		"laufen lief gelaufen", "leiden litt gelitten", "lesen las gelesen", "lügen log gelogen", "messen maß gemessen",
		"nehmen nahm genommen", "nennen nannte genannt", "raten riet geraten", "reißen riss gerissen", "reiten ritt geritten",
		"rufen rief gerufen", "schaffen schuf geschaffen", "scheiden schied geschieden", "schlafen schlief geschlafen",
		"schlagen schlug geschlagen", "schließen schloss geschlossen", "schneiden schnitt geschnitten", "schreiben schrieb geschrieben",
		"schreien schrie geschrien", "schweigen schwieg geschwiegen", "schwimmen schwamm geschwommen", "sehen sah gesehen",
		"singen sang gesungen", "sinken sank gesunken", "sitzen saß gesessen", "sprechen sprach gesprochen", "springen sprang gesprungen",
		"stehen stand gestanden", "stehlen stahl gestohlen", "steigen stieg gestiegen", "sterben starb gestorben", "streiten stritt gestritten",
		"tragen trug getragen", "treffen traf getroffen", "treiben trieb getrieben", "treten trat getreten", "trinken trank getrunken",
		"verlieren verlor verloren", "verschwinden verschwand verschwunden", "wachsen wuchs gewachsen", "waschen wusch gewaschen",
		"werfen warf geworfen", "wiegen wog gewogen", "wissen wusste gewusst", "ziehen zog gezogen", "zwingen zwang gezwungen",
	)
})

func rowsOf(rows ...string) [][]string {
	var all [][]string
	for _, row := range rows {
		all = append(all, strings.Fields(row))
	}
	return all
}

// verbForms returns the forms of an irregular English verb that have another stem than the word,
// which may be any form of it: taught for teaching.
func verbForms(word string) []string {
	if !lettersOnly(word) {
		return nil
	}
	stem := englishStem(word)
	var others []string
	for _, form := range verbs()[stem] {
		if englishStem(form) != stem {
			others = append(others, form)
		}
	}
	return others
}

func lettersOnly(word string) bool {
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == ""
}

func englishStem(word string) string {
	env := snowballstem.NewEnv(word)
	stemEnglish(env)
	return env.Current()
}

// verbs has the rows of irregular English verbs by the stems of their forms. Left out are forms
// that are mostly another word: saw, left, felt, ground, rose, bore.
var verbs = sync.OnceValue(func() map[string][]string {
	rows := rowsOf(
		"arise arose arisen", "awake awoke awoken", "beat beaten", "become became", "begin began begun", "bend bent", "bite bitten",
		"bleed bled", "blow blew blown", "break broke broken", "breed bred", "bring brought", "build built", "burn burnt", "buy bought",
		"catch caught", "choose chose chosen", "cling clung", "come came", "creep crept", "deal dealt", "dig dug", "draw drew drawn",
		"dream dreamt", "drink drank drunk", "drive drove driven", "eat ate eaten", "fall fallen", "feed fed", "fight fought", "find found",
		"flee fled", "fling flung", "fly flew flown", "forbid forbade forbidden", "foresee foresaw foreseen", "forget forgot forgotten",
		"forgive forgave forgiven", "freeze froze frozen", "get got gotten", "give gave given", "go went gone", "grow grew grown",
		"hang hung", "hear heard", "hide hid hidden", "hold held", "keep kept", "kneel knelt", "know knew known", "lead led", "learn learnt",
		"lend lent", "lose lost", "make made", "mean meant", "meet met", "mistake mistook mistaken", "overcome overcame",
		"overtake overtook overtaken", "pay paid", "prove proven", "ride rode ridden", "ring rang rung", "rise risen", "run ran", "say said",
		"see seen", "seek sought", "sell sold", "send sent", "sew sewn", "shake shook shaken", "shine shone", "show shown",
		"shrink shrank shrunk", "sing sang sung", "sink sank sunk", "sit sat", "slay slew slain", "sleep slept", "slide slid", "sling slung",
		"sow sown", "speak spoken", "speed sped", "spell spelt", "spend spent", "spill spilt", "spin spun", "spoil spoilt",
		"spring sprang sprung", "stand stood", "steal stolen", "stick stuck", "sting stung", "stink stank stunk", "stride strode",
		"strike struck", "string strung", "strive strove striven", "swear swore sworn", "sweep swept", "swell swollen", "swim swam swum",
		"swing swung", "take took taken", "teach taught", "tear tore torn", "tell told", "think thought", "throw threw thrown",
		"undergo underwent undergone", "understand understood", "undertake undertook undertaken", "uphold upheld", "wake woke woken",
		"wear wore worn", "weave wove woven", "weep wept", "win won", "withdraw withdrew withdrawn", "withhold withheld",
		"withstand withstood", "write wrote written",
	)
	all := map[string][]string{}
	for _, row := range rows {
		for _, form := range row {
			all[englishStem(form)] = row
		}
	}
	return all
})

// russianForms adds forms of a Russian word with the vowel that other forms lack (отец, отца;
// девушка, девушек; письмо, писем), and people and children, whose plurals are other words.
func russianForms(word string, add func(string)) {
	word = strings.ReplaceAll(word, "ё", "е")
	env := snowballstem.NewEnv(word)
	russian.Stem(env)
	stem := env.Current()
	switch stem {
	case "человек":
		add("люди")
	case "люд":
		add("человек")
	case "ребенок", "ребенк":
		add("дети")
	case "дет":
		add("ребенок")
		add("ребенка")
	}
	last, size := utf8.DecodeLastRuneInString(stem)
	rest := stem[:len(stem)-size]
	before, n := utf8.DecodeLastRuneInString(rest)
	if len(rest) < 2*2 {
		return
	}
	root := rest[:len(rest)-n]
	switch {
	case (last == 'к' || last == 'ц') && (before == 'о' || before == 'е') && len(root) > 2:
		add(root + string(last) + "а") // отец: отца
		if before == 'е' && russianVowel(root) {
			add(root + "й" + string(last) + "а") // копеек: копейка
		}
	case (last == 'к' || last == 'ц' || last == 'м' || last == 'н' || last == 'л' || last == 'р') && (before == 'ь' || before == 'й'):
		add(root + "е" + string(last)) // письмо: писем
	case last == 'ц' && !russianVowel(rest):
		add(rest + "ец")
	case last == 'к' && !russianVowel(rest):
		add(rest + "ок")
		add(rest + "ек")
	}
}

// russianVowel reports whether a word ends with a vowel.
func russianVowel(word string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	return strings.ContainsRune("аеиоуыэюя", last)
}
