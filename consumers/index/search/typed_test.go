package search_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
)

// typed is a line of testdata/typed.txt.
type typed struct {
	page    paper
	finds   []string
	findNot []string
}

func typedLines(t *testing.T) []typed {
	t.Helper()
	b, err := os.ReadFile("testdata/typed.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []typed
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		part := strings.Split(line, " | ")
		if len(part) != 3 {
			t.Fatalf("%d parts: %s", len(part), line)
		}
		one := typed{page: paper{url: fmt.Sprintf("p%d.test/", len(all)), title: "page", lang: part[0], text: part[1], day: 19000}}
		for q := range strings.SplitSeq(part[2], ";") {
			if not, ok := strings.CutPrefix(strings.TrimSpace(q), "!"); ok {
				one.findNot = append(one.findNot, not)
			} else {
				one.finds = append(one.finds, strings.TrimSpace(q))
			}
		}
		all = append(all, one)
	}
	return all
}

// What people type finds the pages that have it in another way of writing, in one index of many
// languages. Pages that lack words of the query do not count.
func TestWhatIsTypedFindsWhatIsWritten(t *testing.T) {
	lines := typedLines(t)
	pages := make([]paper, len(lines))
	for i, l := range lines {
		pages[i] = l.page
	}
	s := searcher(t, filled(t, shard.DefaultOptions(), pages...), nil)
	queries := 0
	for _, l := range lines {
		has := func(q string) bool {
			queries++
			r := find(t, s, search.Request{Query: q, Size: 100, PerSite: -1, Suggest: true, Instead: true})
			return !r.Relaxed && slices.ContainsFunc(r.Hits, func(h search.Hit) bool { return h.URL == "https://"+l.page.url })
		}
		for _, q := range l.finds {
			if !has(q) {
				t.Errorf("%s: %q does not find %q", l.page.lang, q, l.page.text)
			}
		}
		for _, q := range l.findNot {
			if has(q) {
				t.Errorf("%s: %q finds %q", l.page.lang, q, l.page.text)
			}
		}
	}
	if queries < 400 {
		t.Errorf("only %d queries", queries)
	}
}

// What was found in another way of writing is marked.
func TestWhatIsOneWordIsMarked(t *testing.T) {
	s := searcher(t, filled(t, shard.DefaultOptions(),
		paper{url: "a.test/", lang: "en", text: "Some words before an e-mail to O'Brien in the U.S. and behind"},
		paper{url: "b.test/", lang: "en", text: "Then call getElementById there"},
		paper{url: "c.test/", lang: "es", text: "En la habitación azul"},
	), nil)
	for q, want := range map[string]string{"email": "e-mail", "obrien": "O'Brien", "US": "U.S", "element": "getElementById", "habitacion": "habitación"} {
		hits := find(t, s, search.Request{Query: q}).Hits
		if len(hits) != 1 || !slices.Contains(hits[0].Snippet, search.Piece{Text: want, Match: true}) {
			t.Errorf("%s: %+v", q, hits)
		}
	}
}
