package query

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/idna"
)

// leaf turns a token into a node; nil if it is punctuation alone.
func leaf(t token) (Node, error) {
	switch t.field {
	case "site":
		return site(t.text)
	case "lang":
		return lang(t.text)
	case "filetype", "ext":
		return fileType(t.text)
	case "after":
		d, err := day(t.text)
		return Since{d}, err
	case "before":
		d, err := day(t.text)
		return Until{d}, err
	}
	in := map[string]Place{"intitle": Title, "title": Title, "inurl": Address, "author": Author}[t.field]
	switch {
	case !strings.ContainsFunc(t.text, speaks):
		if in != Anywhere {
			return nil, &Error{Reason: t.field + ": needs a word", Hint: example(t.field)}
		}
		return nil, nil
	case t.kind == quoted:
		return Phrase{Text: t.text, In: in}, nil
	case strings.Contains(t.text, "*"):
		return prefix(t.text, in)
	}
	return Word{Text: t.text, In: in}, nil
}

// minPrefix is how many letters must be before a star; a shorter beginning would match thousands of
// words.
const minPrefix = 2

// prefix reads a word with a star at its end.
func prefix(text string, in Place) (Node, error) {
	begin := strings.TrimRight(text, "*")
	letters := 0
	for _, r := range begin {
		if speaks(r) {
			letters++
		}
	}
	switch {
	case strings.Contains(begin, "*"):
		return nil, &Error{Reason: "a star can only stand at the end of a word", Hint: "write dict* for dictionary, dictionaries"}
	case strings.ContainsFunc(begin, func(r rune) bool { return !speaks(r) && !unicode.IsMark(r) }):
		return nil, &Error{Reason: "a word with a star must have letters and digits only", Hint: "write dict* for dictionary, dictionaries"}
	case letters < minPrefix:
		return nil, &Error{Reason: "at least two letters must stand before a star", Hint: "write dict* for dictionary, dictionaries"}
	case in != Anywhere:
		return nil, &Error{Reason: "a star works only in words without an operator", Hint: "write " + begin + "*"}
	}
	return Word{Text: begin, Prefix: true}, nil
}

func fileType(text string) (Node, error) {
	name := strings.ToLower(strings.TrimPrefix(text, "."))
	if name == "" || len(name) > 10 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return nil, &Error{Reason: "filetype: needs the type of a file", Hint: example("filetype")}
	}
	if name == "htm" || name == "xhtml" {
		name = "html"
	}
	return Type{name}, nil
}

func speaks(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// site reads a host and an optional path, also from a pasted address. A star ends a path that is
// the beginning of one; after a folder it says nothing.
func site(text string) (Node, error) {
	if _, after, ok := strings.Cut(text, "://"); ok {
		text = after
	}
	host, path, _ := strings.Cut(text, "/")
	host = strings.ToLower(strings.Trim(strings.TrimPrefix(host, "*."), "."))
	if name, port, ok := strings.Cut(host, ":"); ok && strings.Trim(port, "0123456789") == "" {
		host = name
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	if !strings.ContainsFunc(host, speaks) || strings.ContainsAny(host, " \"*:?") {
		return nil, &Error{Reason: "site: needs a host or domain", Hint: example("site")}
	}
	path, _, _ = strings.Cut(path, "?")
	begins := strings.HasSuffix(path, "*") && !strings.HasSuffix(strings.TrimRight(path, "*"), "/")
	if path = strings.TrimRight(path, "/*"); path != "" {
		path = (&url.URL{Path: "/" + unescaped(path)}).EscapedPath()
	}
	if begins && path != "" {
		path += "*"
	}
	return Site{host, path}, nil
}

// unescaped decodes percent escapes; a text with wrong ones stays as it is.
func unescaped(path string) string {
	if s, err := url.PathUnescape(path); err == nil {
		return s
	}
	return path
}

func lang(text string) (Node, error) {
	code, _, _ := strings.Cut(strings.ToLower(text), "-")
	if len(code) < 2 || len(code) > 3 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz") != "" {
		e := &Error{Reason: "lang: needs a language code of two or three letters", Hint: example("lang")}
		if known := codeOf(code); known != "" {
			e.Hint = "write lang:" + known
		}
		return nil, e
	}
	return Lang{code}, nil
}

// codeOf returns the code of a language that is called by its English name or its own; "" if it is
// not known.
func codeOf(name string) string {
	for _, known := range [...]string{
		"ar arabic العربية", "bg bulgarian български", "cs czech čeština", "da danish dansk", "de german deutsch", "el greek ελληνικά", "en english",
		"es spanish español espanol", "fa persian farsi فارسی", "fi finnish suomi", "fr french français francais", "he hebrew עברית",
		"hi hindi हिन्दी", "hu hungarian magyar", "id indonesian", "it italian italiano", "ja japanese 日本語", "ko korean 한국어", "nl dutch nederlands",
		"no norwegian norsk", "pl polish polski", "pt portuguese português portugues", "ro romanian română", "ru russian русский", "sv swedish svenska",
		"th thai ไทย", "tr turkish türkçe", "uk ukrainian українська", "vi vietnamese", "zh chinese 中文",
	} {
		if names := strings.Fields(known); slices.Contains(names[1:], name) {
			return names[0]
		}
	}
	return ""
}

func day(text string) (Day, error) {
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, text); err == nil {
			return DayOf(t), nil
		}
	}
	return 0, &Error{Reason: fmt.Sprintf("%q is not a day", text), Hint: "write it as 2024-05-31, 2024-05 or 2024"}
}
