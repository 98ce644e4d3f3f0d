package page

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"millrace/consumers/extract/plain"
)

// pickTitle chooses a title by rules: the sources are tried in the order of how often each is
// right. The site's name is removed from the title element if another source shows it. The model in
// titlerank.go takes its choice as one candidate.
func pickTitle(f *facts, l linked) (title, from string) {
	h1 := headline(f)
	og, name := f.first("og:title", "twitter:title", "dc.title", "dcterms.title", "title")
	site, _ := f.first("og:site_name", "application-name")
	doc := f.title
	switch {
	case h1 != "" && (agrees(h1, doc) || agrees(h1, og) || agrees(h1, l.headline)):
		return h1, "h1"
	case l.headline != "" && l.rank >= 15 && (agrees(l.headline, doc) || agrees(l.headline, og)):
		return l.headline, "json-ld"
	case og != "":
		return withoutSite(og, site), "meta " + name
	case doc != "":
		return withoutSite(doc, site), "title element"
	case h1 != "":
		return h1, "h1"
	}
	return l.headline, "json-ld"
}

// headline returns the first h1 that agrees with the title element, else the first with text.
func headline(f *facts) string {
	best := ""
	for _, n := range f.h1 {
		s := textOf(n)
		switch {
		case s == "" || len(s) > 400:
		case best == "":
			best = s
		case agrees(s, f.title) && !agrees(best, f.title):
			best = s
		}
	}
	return best
}

// agrees reports whether one of two titles contains the other, if only letters and digits are
// compared.
func agrees(a, b string) bool {
	a, b = letters(a), letters(b)
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= 3 && strings.Contains(b, a)
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// separators are used between a page's title and its site's name.
var separators = [...]string{" | ", " - ", " – ", " — ", " :: ", " » ", " « ", " · ", " • ", " / ", " ‹ ", " > ", " _ ", "_", "|", " : "}

// withoutSite removes the site's name from a title: the part that equals the name, else the shorter
// side of the last separator.
func withoutSite(title, site string) string {
	for _, sep := range separators {
		i := strings.LastIndex(title, sep)
		if i < 0 {
			continue
		}
		head, tail := title[:i], title[i+len(sep):]
		switch {
		case site != "" && letters(tail) == letters(site):
			return plain.Clean(head)
		case site != "" && letters(head) == letters(site):
			return plain.Clean(tail)
		case len(tail) < len(head) && len([]rune(tail)) < 40:
			return plain.Clean(head)
		}
		return title
	}
	return title
}

// headings returns at most max texts of h1 to h3, in order.
func headings(nodes []*html.Node, max int) []string {
	var out []string
	for _, n := range nodes {
		if len(out) == max {
			break
		}
		if s := textOf(n); s != "" {
			out = append(out, plain.Cut(s, 300))
		}
	}
	return out
}
