package main

import (
	"testing"

	"millrace/bench/extract/corpus"
	"millrace/consumers/extract/page"
)

// TestAddressesDoNotTellCopiesApart: on real pages too, what copies have in common is the same at
// any address.
func TestAddressesDoNotTellCopiesApart(t *testing.T) {
	dir, x := openShared(t)
	pages, err := corpus.Load(dir, "extract/wcxb")
	if err != nil || len(pages) < 100 {
		t.Fatal(len(pages), err)
	}
	for i := 0; i < len(pages); i += 4 {
		p := &pages[i]
		at := func(url string) page.Identity {
			r := x.Extract(page.Input{URL: url, ContentType: "text/html", Body: p.HTML})
			return r.Same
		}
		want := at(p.Address())
		for _, url := range []string{"http://example.org/", "http://example.org/forum/topic/a-long-slug-of-many-words?page=2"} {
			if at(url) != want {
				t.Errorf("%s is another document at %s", p.ID, url)
			}
		}
	}
}
