package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/plain"
)

// A page is a shell for its scripts if it shows less than a third of the words of the article in
// its JSON-LD. On a page that shows a text, the one in JSON-LD is ignored: it may be another.
const (
	witnessWords = 40 // a shorter text is a teaser
	witnessTimes = 3
)

// witness takes the text from JSON-LD if the page is a shell: it is the text that the page's script
// would show.
func (x *extraction) witness(l linked, p *article.Page) {
	if l.body == "" {
		return
	}
	stated := statedText(l.body, x.opts.MaxText)
	shown, words := 0, wordsIn(stated)
	for i := range p.Blocks {
		if b := &p.Blocks[i]; b.Links*2 <= b.Words {
			shown += wordsIn(b.Text)
		}
	}
	if words < witnessWords || words < witnessTimes*shown {
		return
	}
	r := x.r
	r.Text, r.TextBy, r.Same.Text, r.LinkShare = stated, "json-ld", stated, 0
	if l.rank >= rankArticle && words >= usefulWords {
		r.Useful, r.Score = true, max(r.Score, x.opts.UsefulFrom)
	}
}

func wordsIn(s string) int {
	n := 0
	article.EachWord(s, func(string) { n++ })
	return n
}

// statedText returns an articleBody as lines of text. Some pages put HTML there.
func statedText(body string, max int) string {
	if body = html.UnescapeString(body); !strings.Contains(body, "</") && !strings.Contains(body, "<br") {
		return plain.Cut(plain.Lines(body), max)
	}
	parts, err := html.ParseFragment(strings.NewReader(body), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		return ""
	}
	root := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	for _, n := range parts {
		root.AppendChild(n)
	}
	p := article.Split(root)
	keep := make([]bool, len(p.Blocks))
	for i := range keep {
		keep[i] = true
	}
	return p.Text(keep, max)
}
