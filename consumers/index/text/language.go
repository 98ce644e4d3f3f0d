package text

import (
	"strings"
	"unicode"
)

// Guess returns the language of a query, by its script or by a function word; "" if neither shows
// it, or two languages do. Han alone shows nothing: it is Chinese or Japanese. Most names and terms
// are the same in many languages.
func Guess(query string) string {
	found := ""
	for _, word := range strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !wordRune(r) }) {
		lang := byScript(word)
		if lang == "" {
			lang = byFunctionWord(word)
		}
		if lang != "" && found != "" && lang != found {
			return ""
		}
		if lang != "" {
			found = lang
		}
	}
	return found
}

func byScript(word string) string {
	for _, r := range word {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			return "ja"
		case unicode.Is(unicode.Hangul, r):
			return "ko"
		case unicode.Is(unicode.Thai, r):
			return "th"
		}
	}
	if strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Han, r) }) && len(WithoutStops(word)) > 0 && WithoutStops(word)[0] != word {
		return "zh" // there is a question word in it
	}
	return ""
}

// byFunctionWord returns the language of a word that is a function word in only one of these
// languages.
func byFunctionWord(word string) string {
	switch word {
	case "what", "is", "how", "the", "of", "why", "which", "are", "does", "where", "when", "who", "with", "from", "and":
		return "en"
	case "что", "как", "такое", "где", "когда", "почему", "какой", "какая", "какие", "кто", "для", "чем", "это", "сколько", "зачем":
		return "ru"
	case "wie", "ist", "wer", "wo", "warum", "der", "das", "und", "für", "mit", "welche", "welcher", "ein", "eine":
		return "de"
	case "comment", "est", "qui", "où", "pourquoi", "quel", "quelle", "les", "pour", "avec", "dans":
		return "fr"
	case "qué", "cómo", "dónde", "cuándo", "cuál", "quién", "los", "las", "por", "el":
		return "es"
	case "come", "cosa", "dove", "perché", "quale", "della", "che", "il":
		return "it"
	case "hoe", "waarom", "het", "een", "welke", "voor":
		return "nl"
	case "como", "onde", "qual", "não", "uma", "os":
		return "pt"
	}
	return ""
}

func news(word string) bool {
	switch Fold(word) {
	case "news", "latest", "today", "newest", "новости", "новость", "сегодня", "последние", "свежие", "最新", "新闻", "新聞", "今天",
		"nachrichten", "aktuell", "aktuelle", "actualités", "noticias", "notizie", "ニュース":
		return true
	}
	return false
}

// ContainsNews reports whether a query asks for news.
func ContainsNews(query string) bool {
	for _, word := range strings.FieldsFunc(query, func(r rune) bool { return !wordRune(r) }) {
		if news(word) {
			return true
		}
	}
	return false
}

// Unit is a part of a query without spaces: a known word, or the characters between known words.
type Unit struct {
	Text string
	Form string // its form in the vocabulary; "" = no known word
}

// Units cuts a run of a script without spaces into known words. Two or more characters between them
// stay together, because they may be a name. Single characters beside words say little and are left
// out.
func Units(run string) []Unit {
	var all []Unit
	var single strings.Builder
	flush := func() {
		if single.Len() > 0 {
			all = append(all, Unit{Text: single.String()})
			single.Reset()
		}
	}
	for _, part := range pieces(run) {
		if !part.known {
			single.WriteString(part.text)
			continue
		}
		flush()
		all = append(all, Unit{Text: part.text, Form: part.text})
	}
	flush()
	if kept := longer(all); len(kept) > 0 {
		return kept
	}
	return all
}

// longer removes units of one character.
func longer(all []Unit) []Unit {
	var kept []Unit
	for _, u := range all {
		if len([]rune(u.Text)) > 1 {
			kept = append(kept, u)
		}
	}
	return kept
}

type piece struct {
	text  string
	known bool
}

// pieces cuts a run at changes of script, and Han by the dictionary.
func pieces(run string) []piece {
	var all []piece
	at := 0
	for _, r := range scriptRuns(run) {
		start := at + strings.Index(run[at:], r.text)
		if start > at {
			all = append(all, piece{text: run[at:start]})
		}
		at = start + len(r.text)
		if r.katakana {
			all = append(all, piece{r.text, len(r.words()) > 0})
			continue
		}
		for _, w := range dictionary().cut(r.text) {
			all = append(all, piece{w, len(w) >= 2*3})
		}
	}
	if at < len(run) {
		all = append(all, piece{text: run[at:]})
	}
	return all
}
