package search_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"millrace/consumers/index/query"
	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
)

// pieces are what queries are made of: words of all scripts, with what may be typed around them.
var pieces = []string{
	"water", "I.B.M.", "C++", "wi-fi", "don't", "1,234.56", "v1.26.8", "120kg", "U.S.", "naïve", "ﬁnal", "e\u0301", "İstanbul", "straße",
	"水車小屋", "水磨坊", "人", "图书馆里的书", "データベース", "ﾃﾞｰﾀ", "学校で食べる", "한국어", "서울특별시", "\u1112\u1161\u11ab", "ภาษาไทย", "ព្រះរាជាណាចក្រ",
	"မြန်မာ", "ລາວ", "мельница", "сім'я", "צה\"ל", "ספר", "الكتاب", "می‌روم", "हिन्दी", "Ελλάδα", "საქართველო", "አማርኛ", "\U00020000\U00020001\U00020002",
	"手机iPhone手机", "5G网络", "東京Tower", "a", "я", "を", "\u202ewater\u202c", "\u200b", "\u0301", "\xff\xfe", "🍕", "🇩🇪", "٣٫١٤", "Ⅳ", "½",
	"OR", "NOT", "-", "(", ")", "\"", "“", "»", "*", "site:a.test", "site:水.test/路", "intitle:", "inurl:", "author:", "lang:", "lang:zh",
	"filetype:pdf", "after:2024", "before:2024-13", "title:\"", ":", "'", ".", ",", "_", "/", "\\", "++", "#", "http://a.test/水?q=1", "\n", "\t", "\u3000",
}

// Every text that can be typed is answered, or refused with a reason.
func TestAnyQueryIsAnsweredOrRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 2026))
	pick := func(n int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteString(pieces[r.IntN(len(pieces))])
			if r.IntN(3) > 0 {
				b.WriteByte(' ')
			}
		}
		return b.String()
	}
	s := anyPages(t, pick)
	answered := 0
	for range 1000 {
		if checkAny(t, s, pick(6), r.IntN(8)) {
			answered++
		}
	}
	if answered < 300 {
		t.Errorf("only %d of 1000 queries were answered", answered)
	}
}

// A word of a script without spaces may stand wherever another may.
func TestWordsWithoutSpacesUnderOperators(t *testing.T) {
	s := searcher(t, filled(t, shard.DefaultOptions(),
		paper{url: "ja.test/", lang: "ja", text: "水車小屋がある"}, paper{url: "zh.test/", lang: "zh", text: "这里有水磨坊"}, paper{url: "en.test/", lang: "en", text: "water"}), nil)
	for q, want := range map[string]string{
		"水車小屋 OR nothing": "ja.test/", "nothing OR 水磨坊": "zh.test/", "水磨坊 OR 水車小屋 -water": "ja.test/ zh.test/",
		"water -水磨坊": "en.test/", "水車小屋 -水磨坊": "ja.test/", "(水車小屋 OR nothing) -water": "ja.test/", "水 NOT 水磨坊": "ja.test/",
	} {
		hosts := strings.Fields(urls(find(t, s, search.Request{Query: q})))
		slices.Sort(hosts)
		if got := strings.Join(hosts, " "); got != want {
			t.Errorf("%s finds %q, want %q", q, got, want)
		}
	}
}

func FuzzAnyQuery(f *testing.F) {
	for i, p := range pieces {
		f.Add(p+" OR "+pieces[(i+7)%len(pieces)], i)
	}
	r := rand.New(rand.NewPCG(1, 2))
	s := anyPages(f, func(n int) string { return pieces[r.IntN(len(pieces))] + " " + pieces[r.IntN(len(pieces))] })
	f.Fuzz(func(t *testing.T, q string, how int) { checkAny(t, s, q, how) })
}

func anyPages(t testing.TB, text func(n int) string) *search.Searcher {
	var pages []paper
	for i, lang := range []string{"en", "ja", "zh", "ko", "th", "ru", "he", "fa", "hi", "de", "tr", ""} {
		title := strings.ToValidUTF8(text(5), "")
		pages = append(pages, paper{url: lang + ".test/", title: title, text: strings.ToValidUTF8(text(40), ""), lang: lang, day: int64(19000 + i)})
	}
	return searcher(t, filled(t, shard.DefaultOptions(), pages...), nil)
}

// checkAny reports whether a query was answered.
func checkAny(t testing.TB, s *search.Searcher, q string, how int) bool {
	t.Helper()
	r, err := s.Search(t.Context(), search.Request{Query: q, Suggest: how&1 > 0, Instead: how&1 > 0, Facets: how&2 > 0, Newest: how&4 > 0})
	if err != nil {
		if refused := (*query.Error)(nil); !errors.As(err, &refused) || refused.Reason == "" {
			t.Errorf("%q: %v", q, err)
		}
		return false
	}
	for _, h := range r.Hits {
		for _, p := range h.Snippet {
			if !utf8.ValidString(p.Text) {
				t.Errorf("%q: the text that is shown is not UTF-8: %q", q, p.Text)
			}
		}
	}
	for _, w := range r.Warnings {
		if !strings.HasPrefix(w, "only the first") { // no shard failed
			t.Errorf("%q: %s", q, w)
		}
	}
	return true
}
