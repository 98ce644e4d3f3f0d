package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/plain"
)

// A page is a shell for its scripts if it shows less than a third of the words of the article in
// its JSON-LD. On a page that shows a text, the one in JSON-LD is ignored: it may be another. Only
// if the page shows its beginning, and JSON-LD has twice as much, the page shows a part of it, as
// newspapers do to readers who have not paid.
const (
	witnessWords = 40 // a shorter text is a teaser
	witnessTimes = 3
	partTimes    = 2
)

// witness takes the text from JSON-LD if the page is a shell or shows a part of it: it is the text
// that the page's script would show.
func (x *extraction) witness(l linked, p *article.Page, choice article.Choice) {
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
	if words < witnessWords || words < witnessTimes*shown && !isPartOf(p, choice, stated, words) {
		return
	}
	r := x.r
	r.Text, r.TextBy, r.Same.Text, r.LinkShare = stated, "json-ld", stated, 0
	if l.rank >= rankArticle && words >= usefulWords {
		r.Useful, r.Score = true, max(r.Score, x.opts.UsefulFrom)
	}
}

// isPartOf reports whether the paragraphs that a page shows begin a text of so many words, and are
// less than half of it.
func isPartOf(p *article.Page, choice article.Choice, stated string, words int) bool {
	found, others := 0, 0
	stated = plain.Clean(stated)
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if !choice.Keep[i] || b.Words < partBlock {
			continue
		}
		if n := wordsIn(b.Text); strings.Contains(stated, plain.Cut(b.Text, partBytes)) {
			found += n
		} else if found == 0 {
			return false // the first paragraph is another
		} else {
			others += n
		}
	}
	return found > 0 && words >= partTimes*found && words >= others+found
}

// A paragraph that is compared has so many words; so many bytes of it must be in the text. The end
// of the last one may be cut.
const (
	partBlock = 8
	partBytes = 60
)

// lastResort gives a page that shows no text what it says of itself or of its pictures.
func (x *extraction) lastResort(root *html.Node) {
	var out strings.Builder
	words := 0
	for n := range root.Descendants() {
		if n.DataAtom != atom.Img || out.Len() > x.opts.MaxSummary || article.IsHidden(n) {
			continue
		}
		if alt := plain.Clean(attr(n, "alt")); wordsIn(alt) > 1 {
			words += wordsIn(alt)
			out.WriteString(alt + "\n")
		}
	}
	if words >= pictureWords {
		x.r.Text, x.r.TextBy = plain.Cut(strings.TrimRight(out.String(), "\n"), x.opts.MaxText), "descriptions of pictures"
		return
	}
	if wordsIn(x.r.Summary) >= pictureWords && x.r.Title != "" {
		x.r.Text, x.r.TextBy = plain.Cut(plain.Clean(x.r.Summary), x.opts.MaxSummary), "the page's own description"
	}
}

// pictureWords are fewest words that make a page worth finding that shows no text.
const pictureWords = 6

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
	root := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	for _, n := range parseFragment(body) {
		root.AppendChild(n)
	}
	p := article.Split(root)
	keep := make([]bool, len(p.Blocks))
	for i := range keep {
		keep[i] = true
	}
	return p.Text(keep, max)
}
