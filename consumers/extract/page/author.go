package page

import (
	"strings"

	"millrace/consumers/extract/plain"
)

// maxAuthor bounds what is taken for names; longer is a biography.
const maxAuthor = 120

// pickAuthor asks JSON-LD, meta elements, then elements marked as by-lines.
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
		if a := byline(textOf(n)); a != "" {
			return a, "by-line"
		}
	}
	return "", ""
}

// byline cleans a name: no addresses, no leading "by", nothing that is too long for names.
func byline(s string) string {
	s = plain.Clean(s)
	for _, lead := range []string{"by:", "by ", "von ", "written by ", "author:", "autor:", "автор:", "por ", "par ", "作者：", "作者:"} {
		if len(s) > len(lead) && strings.EqualFold(s[:len(lead)], lead) {
			s = plain.Clean(s[len(lead):])
		}
	}
	s = strings.Trim(s, " ,;|-–·")
	if len(s) < 3 || len(s) > maxAuthor || strings.Contains(s, "://") || strings.Contains(s, "@") || strings.HasPrefix(s, "www.") {
		return ""
	}
	return s
}
