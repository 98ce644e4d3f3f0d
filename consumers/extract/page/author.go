package page

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/plain"
)

// Bounds of what is taken for a name; a longer text is a biography.
const (
	maxAuthor      = 120 // bytes
	maxAuthorWords = 8
)

// pickAuthor reads JSON-LD, then meta elements, then elements marked as by-lines, then the text.
func pickAuthor(f *facts, l linked) (author, from string) {
	if a := byline(l.author); a != "" {
		return a, "json-ld"
	}
	v, name := f.first("author", "article:author_name", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author", "citation_author", "byl", "article:author", "twitter:data1")
	if name == "twitter:data1" && !strings.Contains(strings.ToLower(f.meta["twitter:label1"]), "writ") {
		v = ""
	}
	if a := byline(v); a != "" {
		return a, "meta " + name
	}
	for _, n := range f.bylines {
		if inComment(n) {
			continue
		}
		if a := byline(nameIn(n)); a != "" {
			return a, "by-line"
		}
	}
	return "", ""
}

// authorInText looks for a short block "By Some Name" shortly before or after the beginning of the
// main text.
func authorInText(p *article.Page, first int) string {
	for i := max(first-12, 0); i < min(first+3, len(p.Blocks)); i++ {
		b := &p.Blocks[i]
		if b.Words > 14 {
			continue
		}
		for _, lead := range []string{"By ", "Von ", "Por ", "Par ", "Text: ", "Автор: ", "Autor: ", "Author: "} {
			if rest, ok := strings.CutPrefix(b.Text, lead); ok {
				if a := byline(rest); a != "" && unicode.IsUpper(firstLetter(a)) && strings.Contains(a, " ") {
					return a
				}
			}
		}
	}
	return ""
}

func firstLetter(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

func inComment(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		name := strings.ToLower(attr(n, "class") + attr(n, "id"))
		if strings.Contains(name, "comment") || strings.Contains(name, "respond") {
			return true
		}
	}
	return false
}

// nameIn returns the part of a by-line that is marked as the name, else all of it.
func nameIn(n *html.Node) string {
	if v := attr(n, "content"); v != "" {
		return v
	}
	if c := find(n, isName); c != nil {
		return textOf(c)
	}
	return textOf(n)
}

func isName(n *html.Node) bool {
	if attr(n, "rel") == "author" || attr(n, "itemprop") == "name" {
		return true
	}
	class := strings.Fields(attr(n, "class"))
	return slices.Contains(class, "fn") || slices.Contains(class, "author-name") || slices.Contains(class, "name") ||
		n.DataAtom == atom.A && strings.Contains(attr(n, "href"), "author")
}

func find(n *html.Node, wanted func(*html.Node) bool) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if wanted(c) {
			return c
		}
		if m := find(c, wanted); m != nil {
			return m
		}
	}
	return nil
}

// leads are the words before a name; the longer ones first.
var leads = [...]string{"written by", "posted by", "published by", "geschrieben von", "eingestellt von", "veröffentlicht von", "verfasst von", "ein artikel von", "ein beitrag von",
	"guide by", "story by", "words by", "author:", "author", "autor:", "autorin:", "autor", "автор:", "автор", "text:", "by:", "by", "von:", "von", "por", "par", "di", "作者：", "作者:", "文/", "記者", "记者"}

// byline cleans a name: it removes addresses, a leading "by" and a date at the end, and returns ""
// for a text that is too long for names.
func byline(s string) string {
	s = plain.Clean(html.UnescapeString(s))
	for _, lead := range leads {
		if len(s) > len(lead) && strings.EqualFold(s[:len(lead)], lead) && !unicode.IsLetter(firstLetter(s[len(lead):])) {
			s = strings.TrimLeft(s[len(lead):], " :")
		}
	}
	s = untilDate(s)
	s = strings.Trim(s, " ,;|-–·•/")
	if len(s) < 3 || len(s) > maxAuthor || strings.ContainsAny(s, "@{}<>") || strings.Contains(s, "://") || strings.HasPrefix(s, "www.") ||
		strings.Count(s, " ") >= maxAuthorWords || isNobody(s) {
		return ""
	}
	return s
}

// untilDate cuts a by-line before the date, the number of comments or the role.
func untilDate(s string) string {
	for _, mark := range [...]string{" | ", " · ", " • ", " – ", " Updated", " Published", " Posted", " am ", " on ", " um ", " veröffentlicht", " Senior ", " Staff ", " Former "} {
		if i := strings.Index(s, mark); i > 2 {
			s = s[:i]
		}
	}
	if i := strings.IndexAny(s, "0123456789"); i > 2 && s[i-1] == ' ' {
		s = strings.TrimSpace(s[:i])
		if k := strings.LastIndexByte(s, ' '); k > 0 && len(s)-k <= 10 && strings.Count(s, " ") > 1 { // the month or the day's name
			s = s[:k]
		}
	}
	return s
}

// isNobody reports words that templates print where a name could be.
func isNobody(s string) bool {
	switch strings.ToLower(s) {
	case "admin", "administrator", "author", "topic author", "sign in", "log in", "login", "guest", "anonymous", "unknown", "editor", "veröffentlicht am", "posted on",
		"published", "updated", "share", "follow", "redaktion", "autor", "about the author", "name", "by", "von", "por", "par", "null", "undefined", "about":
		return true
	}
	return strings.HasPrefix(s, "Name (") || strings.HasPrefix(s, "About ")
}
