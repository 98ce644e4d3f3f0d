package page

import (
	"math"
	"strings"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/forest"
)

// A usefulColumn is one number known of a page: what tells articles from manuals, listings,
// products, threads, services and home pages.
type usefulColumn int

// The columns of a page's row.
const (
	ucExpected usefulColumn = iota
	ucWords
	ucKeptShare
	ucKeptBlocks
	ucWordsABlock
	ucStopsAWord
	ucCommasAWord
	ucLinkShare
	ucPageWords
	ucPageBlocks
	ucPageLinks
	ucParagraphs
	ucPublished
	ucPublishedLinked
	ucPublishedMeta
	ucPublishedUrl
	ucPublishedText
	ucAuthor
	ucAuthorLinked
	ucForm
	ucRank
	ucOgType
	ucPathDepth
	ucSlugWords
	ucPathDigits
	ucQuery
	ucTitleWords
	ucHeadings
	ucH1
	ucDocTypeArticle
	ucArticles
	ucLongest
	ucDigits
	ucUpper
	ucPosts
	ucPostWords
	ucPrices
	ucCode
	ucTables
	ucMaker
	ucPlace
	ucComments
	ucEnd
)

// usefulNames are the names of the columns in the model file.
func usefulNames() [ucEnd]string {
	return [ucEnd]string{
		ucExpected:        "expected",
		ucWords:           "words",
		ucKeptShare:       "kept-share",
		ucKeptBlocks:      "kept-blocks",
		ucWordsABlock:     "words-a-block",
		ucStopsAWord:      "stops-a-word",
		ucCommasAWord:     "commas-a-word",
		ucLinkShare:       "link-share",
		ucPageWords:       "page-words",
		ucPageBlocks:      "page-blocks",
		ucPageLinks:       "page-links",
		ucParagraphs:      "paragraphs",
		ucPublished:       "published",
		ucPublishedLinked: "published-linked",
		ucPublishedMeta:   "published-meta",
		ucPublishedUrl:    "published-url",
		ucPublishedText:   "published-text",
		ucAuthor:          "author",
		ucAuthorLinked:    "author-linked",
		ucForm:            "form",
		ucRank:            "rank",
		ucOgType:          "og-type",
		ucPathDepth:       "path-depth",
		ucSlugWords:       "slug-words",
		ucPathDigits:      "path-digits",
		ucQuery:           "query",
		ucTitleWords:      "title-words",
		ucHeadings:        "headings",
		ucH1:              "h1",
		ucDocTypeArticle:  "doc-type-article",
		ucArticles:        "articles",
		ucLongest:         "longest",
		ucDigits:          "digits",
		ucUpper:           "upper",
		ucPosts:           "posts",
		ucPostWords:       "post-words",
		ucPrices:          "prices",
		ucCode:            "code",
		ucTables:          "tables",
		ucMaker:           "maker",
		ucPlace:           "place",
		ucComments:        "comments",
	}
}

// UsefulNames lists what the columns are.
func UsefulNames() []string {
	names := usefulNames()
	return names[:]
}

// linkShare is how many percent of the words of the chosen blocks stand in links.
func linkShare(p *article.Page, choice article.Choice) int {
	var kept article.Block
	for i := range p.Blocks {
		if choice.Keep[i] {
			add(&kept, &p.Blocks[i])
		}
	}
	return 100 * min(kept.Links, kept.Words) / max(kept.Words, 1)
}

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
	row := make([]float32, ucEnd)
	row[ucExpected] = float32(choice.Expected)
	row[ucWords] = logWords(kept.Words)
	row[ucKeptShare] = float32(kept.Words) / allWords
	row[ucKeptBlocks] = logWords(keptBlocks)
	row[ucWordsABlock] = words / float32(max(keptBlocks, 1))
	row[ucStopsAWord] = float32(kept.Stops) / words
	row[ucCommasAWord] = float32(kept.Comma) / words
	row[ucLinkShare] = float32(kept.Links) / words
	row[ucPageWords] = logWords(all.Words)
	row[ucPageBlocks] = logWords(len(p.Blocks))
	row[ucPageLinks] = float32(all.Links) / allWords
	row[ucParagraphs] = float32(paragraphs) / words
	row[ucPublished] = boolean(!r.Published.Time.IsZero())
	row[ucPublishedLinked] = boolean(from == "json-ld")
	row[ucPublishedMeta] = boolean(strings.HasPrefix(from, "meta"))
	row[ucPublishedUrl] = boolean(from == "url")
	row[ucPublishedText] = boolean(from == "text")
	row[ucAuthor] = boolean(r.Author != "")
	row[ucAuthorLinked] = boolean(l.author != "")
	row[ucForm] = formOf(l.kind, f.meta["og:type"])
	row[ucRank] = float32(l.rank)
	row[ucOgType] = boolean(strings.HasPrefix(f.meta["og:type"], "article"))
	row[ucPathDepth] = float32(depth)
	row[ucSlugWords] = float32(slug)
	row[ucPathDigits] = float32(digits)
	row[ucQuery] = boolean(query)
	row[ucTitleWords] = float32(len(wordsOf(r.Title)))
	row[ucHeadings] = float32(len(f.heads))
	row[ucH1] = float32(len(f.h1))
	row[ucDocTypeArticle] = boolean(strings.HasSuffix(l.kind, "article") || l.kind == "blogposting")
	row[ucArticles] = float32(min(articles, 10))
	row[ucLongest] = logWords(longest)
	row[ucDigits] = float32(kept.Digit) / words
	row[ucUpper] = float32(kept.Upper) / words
	describeShape(row, p, allWords)
	row[ucMaker], row[ucPlace] = makerOf(f.meta["generator"]), placeOf(x.in.URL)
	return row
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

// judge sets Type, Score and Useful; a rule may decide otherwise later.
func (x *extraction) judge(f *facts, l linked, p *article.Page, choice article.Choice) {
	row := x.usefulRow(f, l, p, choice)
	x.odds = x.learnt.Types.Odds(row)
	x.r.Type = surest(x.odds)
	x.r.Score = float64(forest.Probability(x.learnt.Useful.Odds(row)))
	x.r.Useful = x.r.Score >= x.opts.UsefulFrom
}
