package page

import (
	"fmt"
	"strings"
	"testing"

	"millrace/schema"
)

func newExtractor(t testing.TB) *Extractor {
	t.Helper()
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		t.Fatal(err)
	}
	x, err := New(DefaultOptions(), canon, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestExtractsOrDrops protects the minimum: a page's title, text and links come out, and what is
// not a page says why.
func TestExtractsOrDrops(t *testing.T) {
	in := Input{URL: "http://example.com/a/", ContentType: "text/html", Body: []byte(`<html lang=en><head><title>One day | Example</title><base href="/b/"></head>
<body><nav><a href=x>Menu</a></nav><h1>One day</h1><p>` + strings.Repeat("This is the story of one day, and it goes on. ", 10) + `</p></body></html>`)}
	x := newExtractor(t)
	r := x.Extract(in)
	if r.Title != "One day" || !strings.HasPrefix(r.Text, "This is the story") && !strings.Contains(r.Text, "\nThis is the story") {
		t.Errorf("title %q, text %q", r.Title, r.Text)
	}
	if len(r.Links) != 1 || r.Links[0].URL.String() != "http://example.com/b/x" || r.Links[0].Anchor != "Menu" {
		t.Errorf("links %+v", r.Links)
	}
	if r.Lang != "en" || r.Drop != NotDropped {
		t.Errorf("lang %q drop %q", r.Lang, r.Drop)
	}
	in.Body = []byte("%PDF-1.4")
	if r = x.Extract(in); r.Drop != NotHTML {
		t.Errorf("a PDF sent as a page: drop %q", r.Drop)
	}
}

// What stands behind very many small blocks, as in a list of words, is text, too.
func TestAPageOfVeryManyBlocksKeepsItsEnd(t *testing.T) {
	var body strings.Builder
	body.WriteString("<title>Words</title><h1>Words of the mill</h1>")
	for i := range 25_000 {
		fmt.Fprintf(&body, "<p>Word %d is an old one.</p>", i)
	}
	body.WriteString("<p>This paragraph is the last one, and it says how the words were collected, by whom, and when.</p>")
	r := newExtractor(t).Extract(Input{URL: "http://example.com/words", ContentType: "text/html", Body: []byte(body.String())})
	for _, want := range []string{"Word 5 is", "Word 19990 is", "Word 24990 is", "how the words were collected"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("no %q in a text of %d bytes", want, len(r.Text))
		}
	}
}
