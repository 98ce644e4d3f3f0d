package query

import "strings"

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
}

// fields are the operators; anything else before a colon is part of a word.
func known(field string) bool {
	switch field {
	case "site", "intitle", "lang", "before", "after":
		return true
	}
	return false
}

func scan(text string) []token {
	var tokens []token
	for {
		text = strings.TrimLeft(text, " \t\r\n\v\f\u00a0\u3000")
		if text == "" {
			return tokens
		}
		var t token
		t, text = cut(text)
		if t.kind == word && t.text == "" {
			continue
		}
		tokens = append(tokens, t)
	}
}

// cut takes one token off a text that is not empty and does not begin with a space.
func cut(text string) (token, string) {
	var t token
	for len(text) > 1 && text[0] == '-' {
		t.minus = true
		text = text[1:]
	}
	switch text[0] {
	case '(':
		t.kind = opening
		return t, text[1:]
	case ')':
		return token{kind: closing}, text[1:]
	}
	if name, rest, ok := strings.Cut(text, ":"); ok && rest != "" && known(strings.ToLower(name)) {
		t.field = strings.ToLower(name)
		text = rest
	}
	if text[0] == '"' {
		inside, rest, _ := strings.Cut(text[1:], `"`)
		t.kind, t.text = quoted, strings.Join(strings.Fields(inside), " ")
		return t, rest
	}
	end := strings.IndexAny(text, " \t\r\n\v\f\u00a0\u3000()\"")
	if end < 0 {
		end = len(text)
	}
	t.text = text[:end]
	if t.text == "OR" && t.field == "" && !t.minus {
		t.kind = or
	}
	if t.text == "AND" && t.field == "" && !t.minus {
		t.text = ""
	}
	if end == 0 { // an operator directly before a parenthesis: nothing to read
		t = token{kind: word}
		return t, text
	}
	return t, text[end:]
}
