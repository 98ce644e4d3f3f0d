package wire

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"millrace/consumers/index"
)

// newWeb serves pages by URL.
func newWeb(t *testing.T, pages map[string]string) *origin {
	o := &origin{gone: map[string]bool{}}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		page, ok := pages["http://"+r.Host+r.URL.RequestURI()]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}))
	t.Cleanup(o.Close)
	return o
}

// a page with some text, and links.
func webPage(title, text string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<html lang=en><title>%s</title><article><p>%s</p>", title, text)
	for _, l := range links {
		href, anchor, _ := strings.Cut(l, " ")
		fmt.Fprintf(&b, `<p><a href="%s">%s</a></p>`, href, anchor)
	}
	b.WriteString("</article>")
	return b.String()
}

const filler = "Water from the weir drives the wheel, and the wheel drives the stones that grind the corn of the village. "

func (w *world) search(q string) []string {
	w.t.Helper()
	r, err := w.Search(w.t.Context(), q, 0, 10)
	if err != nil {
		w.t.Fatal(err)
	}
	var urls []string
	for _, h := range r.Hits {
		urls = append(urls, h.URL)
	}
	return urls
}

// A search for a word that is only in the texts of links finds the page that they lead to: also
// when the links came after the page was indexed, and in an index that was rebuilt; and not after
// the links are gone.
func TestAPageIsFoundByTheTextsOfLinks(t *testing.T) {
	pages := map[string]string{
		"http://www.a.test/":     webPage("Start", filler+"Start here.", "/mill a page", "/other another page"),
		"http://www.a.test/mill": webPage("Building", filler+"This is the building."),
	}
	for i := range 4 {
		pages[fmt.Sprintf("http://www.s%d.test/", i)] = webPage(fmt.Sprintf("Site %d", i), fmt.Sprint(filler, " number ", i), "http://www.a.test/mill quernstone museum")
	}
	o := newWeb(t, pages)
	w := start(t, DefaultConfig(), o)
	w.seed("http://www.a.test/")
	if got := w.search("quernstone"); len(got) != 0 {
		t.Fatalf("found before anybody linked: %q", got)
	}
	w.seed("http://www.s0.test/")
	target := "http://www.a.test/mill"
	if got := w.search("quernstone"); len(got) == 0 || got[0] != target {
		t.Fatalf("a word of a link finds %q, want %s first", got, target)
	}
	story, err := w.Why(t.Context(), target)
	if err != nil || !strings.Contains(fmt.Sprint(story), "s0.test") {
		t.Errorf("why does not tell who links: %v: %v", story, err)
	}
	if err := w.groups.rebuildNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.search("quernstone museum"); len(got) == 0 || got[0] != target {
		t.Errorf("after a rebuild the text of the link finds %q", got)
	}
	o.mu.Lock()
	pages["http://www.s0.test/"] = webPage("Site 0", filler+" without a link now")
	o.mu.Unlock()
	w.recheck("http://www.s0.test/")
	for _, u := range w.search("quernstone") {
		if u == target {
			t.Errorf("the link is gone, and its text still finds the page")
		}
	}
}

func (g *groups) rebuildNow(ctx context.Context) error {
	return g.shards.Rebuild(ctx, index.FromLog(g.Reader))
}

// Of two pages with equal text, the one with more in-links comes first; and PageRank has the values
// of the sample graph 1->{2,3}, 2->1, 3->{}.
func TestLinksDecideBetweenEquals(t *testing.T) {
	pages := map[string]string{
		"http://www.b.test/a":  webPage("Plain page", "Archimedes sat under an old oak and drew circles into the sand until the soldier came and spoke to him."),
		"http://www.zz.test/a": webPage("Plain page", "Archimedes lay in his warm bath and saw the level rise until the answer came and made him run outside."),
	}
	for i := range 6 {
		pages[fmt.Sprintf("http://www.s%d.test/", i)] = webPage(fmt.Sprintf("Site %d", i), fmt.Sprint(filler, " number ", i), "http://www.zz.test/a more")
	}
	w := start(t, DefaultConfig(), newWeb(t, pages))
	w.seed("http://www.b.test/a")
	w.seed("http://www.zz.test/a")
	for i := range 6 {
		w.seed(fmt.Sprintf("http://www.s%d.test/", i))
	}
	if err := w.table.ReadOnce(t.Context(), w.Reader); err != nil {
		t.Fatal(err)
	}
	if got := w.search("archimedes"); len(got) != 2 || got[0] != "http://www.zz.test/a" {
		t.Errorf("found %q, want the page with many links first", got)
	}
}

func TestRanksOfTheSampleGraph(t *testing.T) {
	w := start(t, DefaultConfig(), newWeb(t, map[string]string{
		"http://www.a.test/1": webPage("One", filler+"one", "/2 two", "/3 three"),
		"http://www.a.test/2": webPage("Two", filler+"two and more", "/1 one"),
		"http://www.a.test/3": webPage("Three", filler+"three of them"),
	}))
	w.seed("http://www.a.test/1")
	r, err := w.Ranks(t.Context(), false, 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range r.Ranks {
		got = append(got, fmt.Sprintf("%s %.6f", strings.TrimPrefix(x.URL, "http://www.a.test/"), x.Value))
	}
	if want := "1 0.434442, 2 0.334638, 3 0.334638"; strings.Join(got, ", ") != want {
		t.Errorf("ranks %s, want %s", strings.Join(got, ", "), want)
	}
}
