package page

import (
	"strings"

	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/article"
)

// describeShape sets the features that the blocks show: repeated boxes, prices, code, tables,
// comments.
func describeShape(row []float32, p *article.Page, words float32) {
	var prices, code, tables, comments int
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if b.Words < 20 && b.Digit > 0 && strings.ContainsAny(b.Text, "$€£¥₽₹￥元") {
			prices++
		}
		switch {
		case p.Inside(b.Box, atom.Pre):
			code += b.Words
		case p.Inside(b.Box, atom.Table):
			tables += b.Words
		}
		if p.Boxes[b.Box].Comment {
			comments += b.Words
		}
	}
	row[ucPosts], row[ucPostWords] = p.Posts()
	row[ucPrices] = logWords(prices)
	row[ucCode] = float32(code) / words
	row[ucTables] = float32(tables) / words
	row[ucComments] = float32(comments) / words
}

// makers are programs by what they are made for (1 documentation, 2 forum, 3 shop ...), as they
// name themselves in meta generator.
var makers = [...]struct {
	kind  float32
	names []string
}{
	{1, []string{"sphinx", "docusaurus", "mkdocs", "gitbook", "vitepress", "doxygen", "javadoc", "docbook", "antora", "mdbook", "mediawiki", "dokuwiki", "docutils", "asciidoc", "starlight"}},
	{2, []string{"discourse", "vbulletin", "phpbb", "xenforo", "flarum", "mybb", "invision", "vanilla", "bbpress", "nodebb", "smf"}},
	{3, []string{"woocommerce", "shopify", "prestashop", "magento", "opencart", "bigcommerce", "shopware"}},
	{4, []string{"wordpress", "ghost", "blogger", "movable type", "hugo", "jekyll", "hexo", "substack"}},
}

func makerOf(generator string) float32 {
	generator = strings.ToLower(generator)
	for _, m := range makers {
		if generator != "" && containsAny(generator, m.names...) {
			return m.kind
		}
	}
	return 0
}

// placeNames are parts of addresses by what they name (1 documentation, 2 forum, 3 product ...).
var placeNames = [...]struct {
	kind  float32
	names []string
}{
	{1, []string{"docs", "doc", "documentation", "manual", "reference", "api", "guide", "tutorial", "wiki", "help"}},
	{2, []string{"forum", "forums", "thread", "threads", "topic", "topics", "t", "viewtopic.php", "showthread.php", "questions", "discussion", "discussions", "community", "comments"}},
	{3, []string{"product", "products", "p", "dp", "item", "itm", "pd"}},
	{4, []string{"category", "categories", "collections", "collection", "shop", "catalog", "c", "tag", "tags", "directory", "list"}},
	{5, []string{"blog", "news", "article", "articles", "story", "stories", "post", "posts"}},
	{6, []string{"services", "service", "about", "pricing", "solutions", "features", "contact"}},
}

// placeOf returns the kind of the last part of the path, or label of the host, that is in
// placeNames.
func placeOf(url string) float32 {
	_, rest, _ := strings.Cut(strings.ToLower(url), "://")
	host, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "?")
	kind := float32(0)
	for _, part := range append(strings.Split(host, ".")[:strings.Count(host, ".")+1], strings.Split(path, "/")...) {
		for _, place := range placeNames {
			for _, name := range place.names {
				if part == name {
					kind = place.kind
				}
			}
		}
	}
	return kind
}
