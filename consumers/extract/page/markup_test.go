package page

import (
	"strings"
	"testing"
)

// TestMarkupThatTextsDependOn: parts of a page that the names of its elements alone do not tell.
func TestMarkupThatTextsDependOn(t *testing.T) {
	x := newExtractor(t)
	for name, c := range map[string]struct{ contentType, page, want, not string }{
		"spans shown as blocks": {"text/html", "<title>T</title>" + filler + `<p><span style="display:block">The wheel turns.</span><span style="color:red;display: block">It was built of oak by the miller.</span></p>`,
			"turns.\nIt was", ""},
		"a formula once": {"text/html", "<title>T</title>" + filler + `<p>The stones wear by <math><semantics><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><annotation encoding="application/x-tex">a+b</annotation></semantics></math> in every single year of work.</p>`,
			"wear by a+b in every", ""},
		"empty elements of XML": {"application/xhtml+xml; charset=utf-8", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title><script src="a>b.js"/><style/></head><body><a id="x"/><!-- <p/> -->` + filler + `<textarea/><p>The last line of the page tells who owns the mill today.</p></body></html>`,
			"who owns the mill", "-->"},
	} {
		r := x.Extract(Input{URL: "https://example.com/mill", ContentType: c.contentType, Body: []byte(c.page)})
		if !strings.Contains(r.Text, c.want) || !strings.Contains(r.Text, "The old mill stands") || c.not != "" && strings.Contains(r.Text, c.not) || r.Title == "" {
			t.Errorf("%s: title %q, text %q", name, r.Title, r.Text)
		}
	}
}

func FuzzEndEmpty(f *testing.F) {
	f.Add([]byte("<a b='/>'/><!-- <c/> --><br/><![CDATA[<d/>]]><e/"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if again := endEmpty(endEmpty(body)); string(again) != string(endEmpty(body)) {
			t.Fatalf("%q", again)
		}
	})
}
