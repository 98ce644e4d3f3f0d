package schedule

import (
	"slices"
	"strings"
	"testing"

	"millrace/bench/traps"
	"millrace/schema"
)

// An address whose parameters change nothing is an alias: asked for it, the frontier names the page
// that it stands for, whether the address was met in the crawl or not.
func TestAnAliasLeadsToItsPage(t *testing.T) {
	all := traps.Sites()
	site := all[slices.IndexFunc(all, func(s traps.Site) bool { return s.Name == "sessions.test" })]
	p := newPaced(t, site, 1)
	p.crawl(paces()[1])
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		t.Fatal(err)
	}
	known, err := Browse(t.Context(), p.store, "test.sessions:", "", 10_000)
	if err != nil {
		t.Fatal(err)
	}
	aliases := 0
	for _, k := range known {
		if k.Row.Status != schema.UrlRow_REDIRECTED {
			continue
		}
		aliases++
		url, to := k.Key.URL(), k.Row.RedirectTo
		if page, _, found := strings.Cut(url, "?"); !found || page != to {
			t.Errorf("%s is an alias of %s", url, to)
		}
		if story, err := Explain(t.Context(), p.store, canon, p.opts, url); err != nil || !strings.HasPrefix(story.Verdict, "Redirects to "+to) {
			t.Errorf("%s: %q, %v", url, story.Verdict, err)
		}
	}
	story, err := Explain(t.Context(), p.store, canon, p.opts, "http://sessions.test/article/3?visit=neverseen1")
	if err != nil || !strings.Contains(story.Verdict, "leads to http://sessions.test/article/3,") || aliases == 0 {
		t.Errorf("%d known aliases; of another: %q, %v", aliases, story.Verdict, err)
	}
}
