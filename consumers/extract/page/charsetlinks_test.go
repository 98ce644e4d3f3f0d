package page

import (
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// The query of a link goes to the server in the encoding of the page, as browsers send it (URL
// standard, 4.4); a path goes in UTF-8.
func TestQueriesOfLinksAreInTheEncodingOfTheirPage(t *testing.T) {
	x := newExtractor(t)
	for _, c := range []struct{ charset, text, href, want string }{
		{"windows-1251", "Мельница стоит у реки, и колесо её вертится.", "/find?q=мука&n=1", "/find?q=%EC%F3%EA%E0&n=1"},
		{"windows-1251", "Мельница стоит у реки, и колесо её вертится.", "/мука?q=%D0%BC#мука", "/%D0%BC%D1%83%D0%BA%D0%B0?q=%D0%BC"},
		{"windows-1251", "Мельница стоит у реки, и колесо её вертится.", "/find?q=&#x6c34;", "/find?q=%26%2327700%3B"},
		{"shift_jis", "水車小屋は川のそばにあり、その輪は回っている。", "/find?q=水車", "/find?q=%90%85%8E%D4"},
		{"gbk", "水磨坊在河边，水轮慢慢地转动着。", "/find?q=水磨", "/find?q=%CB%AE%C4%A5"},
		{"euc-kr", "물레방아는 강가에 서 있고 바퀴는 천천히 돈다.", "/find?q=물", "/find?q=%B9%B0"},
		{"iso-8859-1", "Le moulin est près de la rivière où tourne la roue.", "/find?q=blé", "/find?q=bl%E9"},
		{"utf-8", "Мельница стоит у реки.", "/find?q=мука", "/find?q=%D0%BC%D1%83%D0%BA%D0%B0"},
	} {
		e, err := htmlindex.Get(c.charset)
		if err != nil {
			t.Fatal(err)
		}
		body, err := e.NewEncoder().String(`<html><head><title>t</title></head><body><p>` + c.text + `</p><a href="` + c.href + `">a</a></body></html>`)
		if err != nil {
			t.Fatal(err)
		}
		r := x.Extract(Input{URL: "https://example.com/dir/page", ContentType: "text/html; charset=" + c.charset, Body: []byte(body)})
		if len(r.Links) != 1 || r.Links[0].URL.String() != "https://example.com"+c.want {
			t.Errorf("%s %s: %v, want %s", c.charset, c.href, r.Links, c.want)
		}
	}
}

// What names no type is read by its beginning, as browsers do.
func TestATypeThatIsNoneIsIgnored(t *testing.T) {
	x := newExtractor(t)
	for _, kind := range []string{"html", "", "text", "utf-8", ";charset=utf-8"} {
		for _, begin := range []string{"<!doctype html>", "<!-- x --><div>", "<p>", "<div class=a>", "\n <title>The mill</title>"} {
			r := x.Extract(Input{URL: "https://example.com/mill", ContentType: kind, Body: []byte(begin + filler)})
			if r.Kind != HTML || r.Drop != NotDropped {
				t.Errorf("%q %q: %s, %q", kind, begin, r.Kind, r.Drop)
			}
		}
		if r := x.Extract(Input{URL: "https://example.com/x", ContentType: kind, Body: []byte("\x00\x01\x02<p>")}); r.Drop != NotHTML {
			t.Errorf("%q: bytes are taken for %s", kind, r.Kind)
		}
	}
}
