package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind int

const (
	word kind = iota
	quoted
	or
	opening
	closing
)

// token is one piece of the query: an optional minus, an optional operator name, a text.
type token struct {
	kind  kind
	minus bool
	field string
	text  string
	at    int // its first character, counted from 1
}

// Operators lists the names that may be before a colon.
func Operators() []string {
	return []string{"site", "intitle", "title", "inurl", "author", "filetype", "ext", "lang", "before", "after"}
}

const spaces = " \t\r\n\v\f\u00a0\u3000"

func scan(text string) ([]token, error) {
	var tokens []token
	minus := false
	for rest := text; ; {
		rest = strings.TrimLeft(rest, spaces)
		if rest == "" {
			return tokens, nil
		}
		at := utf8.RuneCountInString(text[:len(text)-len(rest)]) + 1
		t, after, err := cut(rest, at)
		if err != nil {
			return nil, err
		}
		rest = after
		if t.kind == word && t.field == "" && !t.minus && t.text == "NOT" {
			minus = !minus
			continue
		}
		if t.kind == word && t.text == "" {
			continue
		}
		if minus && t.kind != closing && t.kind != or {
			t.minus = !t.minus
		}
		minus = false
		tokens = append(tokens, t)
	}
}

// cut reads one token from a text that is not empty and does not begin with a space.
func cut(text string, at int) (token, string, error) {
	t := token{at: at}
	if bare := strings.TrimLeft(text, "-"); len(bare) > 0 {
		t.minus = len(bare) < len(text) && !(strings.HasPrefix(text, "--") && startsWord(bare))
		text = bare
	}
	switch text[0] {
	case '(':
		t.kind = opening
		return t, text[1:], nil
	case ')':
		return token{kind: closing, at: at}, text[1:], nil
	}
	if scheme := len("mailto:"); len(text) > scheme && strings.EqualFold(text[:scheme], "mailto:") {
		text = text[scheme:] // of an address that was copied with its scheme
	}
	name, rest, err := operator(text, at)
	if err != nil {
		return t, "", err
	}
	if name != "" {
		t.field, text = name, rest
	}
	if inside, rest, ok := quotation(text); ok {
		t.kind, t.text = quoted, strings.Join(strings.Fields(inside), " ")
		return t, rest, nil
	}
	end := wordEnd(text)
	if first, size := utf8.DecodeRuneInString(text); strings.ContainsRune(printedQuotes, first) {
		end = size // it has no partner
	}
	t.text = text[:end]
	if t.text == "OR" && t.field == "" && !t.minus {
		t.kind = or
	}
	if t.text == "AND" && t.field == "" && !t.minus {
		t.text = ""
	}
	return t, text[end:], nil
}

// wordEnd returns the length of the word at the beginning of a text. The mark of a Hebrew
// abbreviation (צה"ל) looks like a quotation mark and does not end it.
func wordEnd(text string) int {
	for from := 0; ; {
		i := strings.IndexAny(text[from:], spaces+"()\""+printedQuotes)
		if i < 0 {
			return len(text)
		}
		end := from + i
		before, _ := utf8.DecodeLastRuneInString(text[:end])
		after, _ := utf8.DecodeRuneInString(text[end+1:])
		if text[end] != '"' || !unicode.Is(unicode.Hebrew, before) || !unicode.Is(unicode.Hebrew, after) {
			return end
		}
		from = end + 1
	}
}

// startsWord reports whether a text begins with a letter or digit. Behind two dashes it is the name
// of an option (--verbose), which people look for, and not an exclusion.
func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return speaks(r)
}

// printedQuotes are the quotation marks of printed text; in some languages the one that opens
// closes in others.
const printedQuotes = "“”„‟«»＂"

// Quotes are all quotation marks.
const Quotes = `"` + printedQuotes

// quotation reads what is between quotation marks. Without a second one " reaches to the end;
// another mark is no quotation then: it may be the sign for inches.
func quotation(text string) (inside, rest string, ok bool) {
	if text[0] == '"' {
		inside, rest, _ = strings.Cut(text[1:], `"`)
		return inside, rest, true
	}
	r, size := utf8.DecodeRuneInString(text)
	if !strings.ContainsRune(printedQuotes, r) {
		return "", "", false
	}
	end := strings.IndexAny(text[size:], printedQuotes)
	if end < 0 {
		return "", "", false
	}
	_, closing := utf8.DecodeRuneInString(text[size+end:])
	return strings.ReplaceAll(text[size:size+end], `"`, " "), text[size+end+closing:], true
}

// operator reads "name:" before a value. An unknown operator is an error, because read as a word it
// would find something else than was meant. Addresses, ports (localhost:8080), times and C++ names
// (std::vector) are words.
func operator(text string, at int) (name, rest string, err error) {
	name, rest, ok := strings.Cut(text, ":")
	if !ok || len(name) < 2 || len(name) > 20 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
		return "", "", nil
	}
	known := slices.Contains(Operators(), strings.ToLower(name))
	empty := rest == "" || strings.ContainsAny(rest[:1], spaces+"()")
	switch {
	case known && empty:
		return "", "", &Error{Reason: name + ": needs a value directly after the colon", At: at, Hint: example(strings.ToLower(name))}
	case known:
		return strings.ToLower(name), rest, nil
	case empty || rest[0] == ':' || rest[0] == '/' || rest[0] == '\\' || addresses(name):
		return "", "", nil
	case '0' <= rest[0] && rest[0] <= '9' && Nearest(strings.ToLower(name)) == "":
		return "", "", nil // localhost:8080
	}
	return "", "", &Error{Reason: "there is no operator " + name + ":", At: at, Hint: hint(name, rest)}
}

// addresses reports whether a name begins addresses that have no slashes behind the colon.
func addresses(name string) bool {
	return slices.Contains([]string{"urn", "tel", "data", "magnet", "javascript", "sip", "xmpp", "doi", "isbn", "news"}, strings.ToLower(name))
}

// hint returns what to write instead of an unknown operator.
func hint(name, rest string) string {
	if near := Nearest(strings.ToLower(name)); near != "" {
		return "did you mean " + near + ":?"
	}
	value, _, _ := strings.Cut(rest, " ")
	return `to find the words, quote them: "` + name + " " + strings.Trim(value, `"`) + `"; operators are ` + strings.Join(Operators(), ":, ") + ":"
}

// Nearest returns the operator that was probably meant; "" if none is similar.
func Nearest(name string) string {
	switch name {
	case "host", "domain", "hostname":
		return "site"
	case "url", "path", "allinurl", "link":
		return "inurl"
	case "allintitle", "heading":
		return "intitle"
	case "language", "locale":
		return "lang"
	case "type", "mime", "format", "file":
		return "filetype"
	case "since", "from", "newer", "date", "year", "day", "published":
		return "after"
	case "until", "to", "older":
		return "before"
	case "by", "writer", "from_author":
		return "author"
	}
	best, least := "", 3
	for _, o := range Operators() {
		if d := distance(name, o); d < least && d < len(o)-1 {
			best, least = o, d
		}
	}
	return best
}

// distance counts the letters to change, leave out or insert (Levenshtein distance).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, before+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// example shows how an operator is used.
func example(name string) string {
	return "write " + map[string]string{
		"site": "site:example.com or site:example.com/docs", "intitle": "intitle:wheel", "title": "title:wheel",
		"inurl": "inurl:docs", "author": `author:"Jane Doe"`, "filetype": "filetype:pdf", "ext": "ext:pdf",
		"lang": "lang:en", "before": "before:2024-06-01", "after": "after:2024-05",
	}[name]
}
