package main

import (
	"bytes"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// wordsOf returns all text of a page but that of scripts and styles.
func wordsOf(body []byte) string {
	var b strings.Builder
	z := html.NewTokenizer(bytes.NewReader(body))
	skip := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.StartTagToken:
			name, _ := z.TagName()
			skip = string(name) == "script" || string(name) == "style"
		case html.EndTagToken:
			skip = false
		case html.TextToken:
			if !skip {
				b.Write(z.Text())
			}
		}
		b.WriteByte(' ')
	}
}

// phrases returns the set of all phrases of five words. This is done in the plainest way and shares
// no code with what it judges.
func phrases(s string) map[string]bool {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
	set := map[string]bool{}
	for i := range max(0, len(words)-4) {
		set[strings.Join(words[i:i+5], " ")] = true
	}
	return set
}

// jaccard returns the share of elements that are in both of those in either.
func jaccard(a, b map[string]bool) float64 {
	both := 0
	for x := range a {
		if b[x] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}
