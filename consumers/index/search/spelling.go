package search

import (
	"net/url"
	"strings"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// spelt requires the words of a token that was typed without spaces, in their order; or the token
// written as one word (e-mail, email) or in another way (others.go), or the page of which it is the
// address.
func (b *builder) spelt(s string, run []text.Span, scored bool) rank.Match {
	ways := []rank.Match{b.sequence(s, run, false, scored)}
	if one := asOneWord(s, run); one != "" {
		last := b.last
		span := text.Span{End: len(one)}
		ways = append(ways, rank.Match{Op: rank.Has, Word: b.add(one, span, "", scored)})
		b.last = last // it is no neighbour of the word before
	}
	if at, ok := pageAt(s); ok {
		ways = append(ways, onSite(at))
	}
	ways = append(ways, b.otherWays(s, run, scored)...)
	if len(ways) == 1 {
		return ways[0]
	}
	return rank.Match{Op: rank.Some, Args: ways}
}

// maxJoined bounds the words that are tried as one.
const maxJoined = 5

// asOneWord returns words that one sign joins each (node.js, wi-fi, don't, max_connections,
// 1,234,567) as one word; "" if other signs are between them. A point does not join numbers: 2.6.1
// is not 261.
func asOneWord(s string, run []text.Span) string {
	if len(run) < 2 || len(run) > maxJoined {
		return ""
	}
	var b strings.Builder
	for i, span := range run {
		word := s[span.Start:span.End]
		if i > 0 && !joins(s[run[i-1].Start:run[i-1].End], s[run[i-1].End:span.Start], word) {
			return ""
		}
		b.WriteString(word)
	}
	return b.String()
}

func joins(before, sign, after string) bool {
	switch sign {
	case "-", "\u2010", "\u2011", "'", "’", "_", "\u200c":
		return true
	case ".":
		return !number(before) && !number(after)
	case ",":
		return number(before) && number(after) && len(after) == 3
	}
	return false
}

// number reports whether a word has a digit.
func number(word string) bool { return strings.ContainsAny(word, "0123456789") }

// pageAt reads a token as the address of a page, with or without its scheme.
func pageAt(s string) (query.Site, bool) {
	bare := !strings.Contains(s, "://")
	if bare {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Hostname() == "" || bare && !hostName(u.Hostname()) {
		return query.Site{}, false
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	return query.Site{Host: strings.ToLower(u.Hostname()), Path: path}, true
}

// hostName reports whether a text looks like the name of a host: labels with points between them,
// the last of letters.
func hostName(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot < 1 || len(s)-dot < 3 {
		return false
	}
	const letters = "abcdefghijklmnopqrstuvwxyz"
	s = strings.ToLower(s)
	return strings.Trim(s[dot+1:], letters) == "" && strings.Trim(s, letters+"0123456789-.") == ""
}
