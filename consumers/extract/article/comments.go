package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isComment reports whether an element is named after comments. Names of the whole page say what it
// can have.
func isComment(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article:
		return false
	}
	return saysComment(attr(n, "class")) || saysComment(attr(n, "id"))
}

// saysComment: the names that systems give to what readers wrote below an article.
func saysComment(name string) bool {
	if name == "" || len(name) > 200 {
		return false
	}
	return hasAny(strings.ToLower(name), "comment", "respond", "disqus", "reply", "replies", "kommentar")
}

// Comments keeps what readers wrote below the text: blocks in an element that is named after
// comments, behind the main text. Forms and links that only lead elsewhere are not said by anyone.
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

// Posts describes the family of like boxes that holds most running text: how many, on a logarithmic
// scale, and the words of each.
func (p *Page) Posts() (posts, words float32) {
	r := &Reading{p: p, sums: make([]sum, len(p.Blocks)+1)}
	for i := range p.Blocks {
		r.sums[i+1] = r.sums[i]
		r.sums[i+1].add(&p.Blocks[i])
	}
	r.countPosts()
	return r.posts, r.postWords
}
