package wire

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"millrace/consumers/index/rank"
	"millrace/ops/web"
)

func TestATextIsCutAtItsPages(t *testing.T) {
	const text = "before\none\ntwo"
	for name, c := range map[string]struct {
		starts []int32
		want   []web.TextPage
	}{
		"no pages":            {nil, []web.TextPage{{Number: 0, Text: text}}},
		"pages":               {[]int32{0, 7}, []web.TextPage{{Number: 1, Text: "before\n"}, {Number: 2, Text: "one\ntwo"}}},
		"something before":    {[]int32{7, 11}, []web.TextPage{{Number: 0, Text: "before\n"}, {Number: 1, Text: "one\n"}, {Number: 2, Text: "two"}}},
		"a page without text": {[]int32{0, 7, 7}, []web.TextPage{{Number: 1, Text: "before\n"}, {Number: 2, Text: ""}, {Number: 3, Text: "one\ntwo"}}},
		"a damaged index":     {[]int32{-5, 7, 3, 99}, []web.TextPage{{Number: 1, Text: "before\n"}, {Number: 2, Text: ""}, {Number: 3, Text: "one\ntwo"}, {Number: 4, Text: ""}}},
	} {
		if got := shownText(&rank.Page{Text: text, PageStarts: c.starts}).Pages; !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// The wish of a page not to be kept as a copy is kept from its head to the page with its text.
func TestAPageThatIsNoArchiveIsNotShownAsText(t *testing.T) {
	o := &origin{Server: httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := map[string]string{
			"/":      "<title>Mill</title><p>The mill of the village grinds rye. <a href=/own>own</a> <a href=/quiet>quiet</a>",
			"/own":   "<title>Own</title><meta name=robots content=noarchive><p>The miller keeps this page for himself, and bakes bread.",
			"/quiet": "<title>Quiet</title><meta name=robots content=nosnippet><p>Nobody may quote what the sluice said to the weir.",
		}[r.URL.Path]
		if body == "" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, body)
	}))}
	t.Cleanup(o.Close)
	w := start(t, DefaultConfig(), o)
	w.seed("http://a.test/")
	text := func(path string) web.Text {
		got, ok, err := w.Text(t.Context(), "http://a.test"+path)
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", path, ok, err)
		}
		return got
	}
	if got := text("/"); got.NoArchive || len(got.Pages) != 1 || !strings.Contains(got.Pages[0].Text, "grinds rye") {
		t.Errorf("%+v", got)
	}
	for _, path := range []string{"/own", "/quiet"} {
		if got := text(path); !got.NoArchive || len(got.Pages) > 0 {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if _, ok, err := w.Text(t.Context(), "http://a.test/none"); ok || err != nil {
		t.Errorf("a page that is not there: %v, %v", ok, err)
	}
}
