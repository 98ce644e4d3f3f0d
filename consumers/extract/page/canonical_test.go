package page

import "testing"

// A template that names the home page as canonical on every page of a site does not hide them all;
// other addresses of the home page still step back behind it.
func TestCanonicalThatIsTheHomePageIsAMistake(t *testing.T) {
	const home = "https://www.example.com/"
	x := newExtractor(t)
	for url, want := range map[string]string{
		"https://www.example.com/article/7":      "",
		"https://blog.example.com/about":         "",
		"https://www.example.com/en/news":        "",
		"https://www.example.com/index.php?id=7": home,
		"https://www.example.com/en-gb/":         home,
		"http://example.com/?from=mail":          home,
		home:                                     home,
	} {
		r := x.Extract(Input{URL: url, ContentType: "text/html", Body: []byte(`<html><head><link rel=canonical href="` + home + `"></head><body><p>A page.</body></html>`)})
		if got := r.Canonical.String(); got != want {
			t.Errorf("%s: canonical %q, want %q", url, got, want)
		}
	}
	other := "https://www.example.com/article/8"
	r := x.Extract(Input{URL: "https://www.example.com/article/7", ContentType: "text/html", LinkHeaders: []string{"<" + other + `>; rel="canonical"`}, Body: []byte("<p>A page.")})
	if r.Canonical.String() != other {
		t.Errorf("canonical %q, want %q", r.Canonical, other)
	}
}
