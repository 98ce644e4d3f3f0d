package schema

import "testing"

// benchRefs are links as they stand in pages: most relative, one in ten tagged
// or not ASCII.
var benchRefs = []string{
	"/news/2024/05/some-article-about-something.html", "../images/logo", "/wiki/Category:Articles_with_short_description?action=history&offset=20",
	"https://www.example.org/about/people/", "//cdn.example.net/a/b/c", "?page=2&sort=date", "item-4711.html#reviews",
	"https://shop.example.com/product/4711?utm_source=feed&utm_medium=rss&color=red", "/вики/Заглавная_страница", "/search?q=a+b%20c",
}

func BenchmarkParse(b *testing.B) {
	c := byDefault(b)
	for _, bench := range []struct{ name, raw string }{
		{"plain", "https://www.example.com/news/2024/05/some-article-about-something.html?page=2&id=4711"},
		{"tracked", "https://www.example.com/news/article.html?utm_source=feed&id=4711&fbclid=abcdef"},
		{"idn", "https://нэб.рф/каталог/"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Parse(bench.raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkResolve is the work for one link of a page, with its row key.
func BenchmarkResolve(b *testing.B) {
	c := byDefault(b)
	base, err := c.Parse("https://www.example.com/news/2024/index.html")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		u, err := c.Resolve(base, benchRefs[i%len(benchRefs)])
		if err != nil || u.RowKey() == "" {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkParseRowKey(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseRowKey("com.example.www:https/news/2024/05/some-article-about-something.html?page=2"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkShard(b *testing.B) {
	for b.Loop() {
		Shard("com.example.www")
	}
}
