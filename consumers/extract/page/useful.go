package page

import (
	"math"
	"strings"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/forest"
)

// usefulNames are the columns of a page's row: what tells articles from listings, products, threads, services and home pages.
const usefulNames = `expected words kept-share kept-blocks words-a-block stops-a-word commas-a-word link-share page-words page-blocks page-links paragraphs
published published-linked published-meta published-url published-text author author-linked form rank og-type path-depth slug-words path-digits query
title-words headings h1 doc-type-article articles longest digits upper`

// UsefulNames lists what the columns are.
func UsefulNames() []string { return strings.Fields(usefulNames) }

// usefulRow describes a page that was read.
func (x *extraction) usefulRow(f *facts, l linked, p *article.Page, choice article.Choice) []float32 {
	r := x.r
	var kept, all article.Block
	keptBlocks, longest, paragraphs, articles := 0, 0, 0, 0
	for i := range p.Blocks {
		b := &p.Blocks[i]
		add(&all, b)
		if choice.Keep[i] {
			add(&kept, b)
			keptBlocks++
			longest = max(longest, b.Words)
			if b.Words >= 15 && b.Stops > 0 {
				paragraphs += b.Words
			}
		}
	}
	for i := range p.Boxes {
		if p.Boxes[i].Node.Data == "article" {
			articles++
		}
	}
	words, allWords := float32(max(kept.Words, 1)), float32(max(all.Words, 1))
	depth, slug, digits, query := pathFacts(x.in.URL)
	from := r.Published.From
	return []float32{float32(choice.Expected), logWords(kept.Words), float32(kept.Words) / allWords, logWords(keptBlocks),
		words / float32(max(keptBlocks, 1)), float32(kept.Stops) / words, float32(kept.Comma) / words, float32(kept.Links) / words,
		logWords(all.Words), logWords(len(p.Blocks)), float32(all.Links) / allWords, float32(paragraphs) / words,
		boolean(!r.Published.Time.IsZero()), boolean(from == "json-ld"), boolean(strings.HasPrefix(from, "meta")), boolean(from == "url"), boolean(from == "text"),
		boolean(r.Author != ""), boolean(l.author != ""), formOf(l.kind, f.meta["og:type"]), float32(l.rank), boolean(strings.HasPrefix(f.meta["og:type"], "article")),
		float32(depth), float32(slug), float32(digits), boolean(query), float32(len(wordsOf(r.Title))), float32(len(f.heads)), float32(len(f.h1)),
		boolean(strings.HasSuffix(l.kind, "article") || l.kind == "blogposting"), float32(min(articles, 10)), logWords(longest),
		float32(kept.Digit) / words, float32(kept.Upper) / words}
}

func add(sum, b *article.Block) {
	sum.Words += b.Words
	sum.Links += b.Links
	sum.Stops += b.Stops
	sum.Comma += b.Comma
	sum.Digit += b.Digit
	sum.Upper += b.Upper
}

func pathFacts(url string) (depth, slug, digits int, query bool) {
	_, rest, _ := strings.Cut(url, "://")
	_, path, _ := strings.Cut(rest, "/")
	path, _, query = strings.Cut(path, "?")
	path = strings.Trim(path, "/")
	if path == "" {
		return -1, 0, 0, query
	}
	for segment := range strings.SplitSeq(path, "/") {
		depth++
		slug = max(slug, len(wordsOf(segment)))
	}
	for _, c := range []byte(path) {
		if '0' <= c && c <= '9' {
			digits++
		}
	}
	return depth, slug, digits, query
}

func logWords(n int) float32 { return float32(math.Log1p(float64(n))) }

// judgeUseful sets Score and Useful, unless a rule has decided.
func (x *extraction) judgeUseful(f *facts, l linked, p *article.Page, choice article.Choice) {
	row := x.usefulRow(f, l, p, choice)
	x.r.Score = float64(forest.Probability(x.useful.Odds(row)))
	x.r.Useful = x.r.Score >= x.opts.UsefulFrom
}
