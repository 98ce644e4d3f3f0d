package query

import (
	"strings"
	"time"
	"unicode"
)

// leaf turns a token into a node; nil means the token says nothing (punctuation alone).
func leaf(t token) (Node, error) {
	switch t.field {
	case "site":
		return site(t.text)
	case "lang":
		return lang(t.text)
	case "after":
		d, err := day(t.text)
		return Since{d}, err
	case "before":
		d, err := day(t.text)
		return Until{d}, err
	}
	if !strings.ContainsFunc(t.text, speaks) {
		return nil, nil
	}
	if t.kind == quoted {
		return Phrase{Text: t.text, Title: t.field == "intitle"}, nil
	}
	return Word{Text: t.text, Title: t.field == "intitle"}, nil
}

func speaks(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// site reads a host, also from a pasted address.
func site(text string) (Node, error) {
	host := strings.ToLower(text)
	if _, after, ok := strings.Cut(host, "://"); ok {
		host = after
	}
	host, _, _ = strings.Cut(host, "/")
	host = strings.Trim(strings.TrimPrefix(host, "*."), ".")
	if !strings.ContainsFunc(host, speaks) || strings.ContainsAny(host, " \"") {
		return nil, refuse("site: needs a host or domain, such as site:example.com")
	}
	return Site{host}, nil
}

func lang(text string) (Node, error) {
	code, _, _ := strings.Cut(strings.ToLower(text), "-")
	if len(code) < 2 || len(code) > 3 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz") != "" {
		return nil, refuse("lang: needs a language code of two or three letters, such as lang:en")
	}
	return Lang{code}, nil
}

func day(text string) (Day, error) {
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, text); err == nil {
			return DayOf(t), nil
		}
	}
	return 0, refuse("%q is not a day; write it as 2024-05-31, 2024-05 or 2024", text)
}
