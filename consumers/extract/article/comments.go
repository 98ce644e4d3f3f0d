package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isComment reports whether an element is named after comments. Names on html, body, main and
// article do not count: they say what the whole page can have.
func isComment(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article:
		return false
	}
	return saysComment(attr(n, "class")) || saysComment(attr(n, "id"))
}

// saysComment reports whether a name is one of those that systems give to comments of readers.
func saysComment(name string) bool {
	if name == "" || len(name) > 200 {
		return false
	}
	name = strings.ToLower(name)
	for i := range len(name) {
		rest := name[i:]
		switch name[i] {
		case 'c':
			if strings.HasPrefix(rest, "comment") {
				return true
			}
		case 'd':
			if strings.HasPrefix(rest, "disqus") {
				return true
			}
		case 'k':
			if strings.HasPrefix(rest, "kommentar") {
				return true
			}
		case 'r':
			if strings.HasPrefix(rest, "respond") || strings.HasPrefix(rest, "repl") && (strings.HasPrefix(rest, "reply") || strings.HasPrefix(rest, "replies")) {
				return true
			}
		}
	}
	return false
}

// Comments returns the blocks with comments of readers: those after the main text in an element
// that is named after comments, without forms and links that only lead elsewhere.
func (p *Page) Comments(main []bool) []bool {
	keep := make([]bool, len(p.Blocks))
	last := -1
	for i := range p.Blocks {
		if main[i] {
			last = i
		}
	}
	for i := range p.Blocks {
		b := &p.Blocks[i]
		keep[i] = i > last && !main[i] && b.Words > 2 && b.Links*2 <= b.Words && p.Boxes[b.Box].Comment &&
			!p.Inside(b.Box, atom.Form, atom.Button, atom.Label, atom.Legend, atom.Nav)
	}
	return keep
}

// Posts describes the family of like boxes with the most running text: their number, on a
// logarithmic scale, and the words of each.
func (p *Page) Posts() (posts, words float32) {
	r := &Reading{p: p, sums: make([]sum, len(p.Blocks)+1)}
	for i := range p.Blocks {
		r.sums[i+1] = r.sums[i]
		r.sums[i+1].add(&p.Blocks[i])
	}
	r.countPosts()
	return r.posts, r.postWords
}
