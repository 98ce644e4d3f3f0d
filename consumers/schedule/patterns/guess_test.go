package patterns

import (
	"fmt"
	"slices"
	"testing"
)

// A made-up URL has the shape of the page it was made of, and differs from it in what identifies
// the page.
func TestAMadeUpURLHasItsPagesShape(t *testing.T) {
	for _, path := range []string{
		":http/n/7", ":http/article/123456", ":http/events/2026/may/12", ":http/almanac/2026-05-12", ":http/day/20240229", ":http/events?month=202605&view=2", ":http/log/20260512143000.html", ":http/r/9f8e7d6c5b4a",
		":http/viewtopic.php?f=1&t=57", ":http/story/the-old-mill-by-the-river-12.html", ":http/p?id=8f3a9c11",
	} {
		g := Invent(path)
		if g == path || g != Invent(path) || !slices.Equal(Tokens(g), Tokens(path)) {
			t.Errorf("%s: %q", path, g)
		}
	}
	for path, want := range map[string]string{":http/": "", ":http/about": "", "": ""} {
		if g := Invent(path); g != want {
			t.Errorf("%s: %q", path, g)
		}
	}
}

// chain drives a tree with pages that name the next two of their shape. madeUp answers URLs that
// nobody named: text and links say whether they bring a new text, and name far pages.
func chain(pages int, text, links bool) (tree *Tree, madeUp int) {
	tree = New(nil)
	ts := int64(0)
	next := func() int64 {
		ts++
		tree.Begin(ts)
		return ts
	}
	path := func(i int) string { return fmt.Sprintf(":http/n/%d", i) }
	tree.Begin(1)
	tree.Found(path(0), "")
	for i := range pages {
		now := next()
		tree.Fetched(path(i), Body, 100, true, now)
		tree.Read(path(i), Text{Fingerprint: uint32(i + 1), Exact: uint32(i + 1), Document: true, First: true, Awaited: true}, now)
		tree.Found(path(i+1), path(i))
		g := tree.Guess(path(i))
		if g == "" {
			continue
		}
		madeUp++
		tree.Found(g, path(i))
		tree.Guessed(g)
		if now = next(); !text {
			tree.Fetched(g, Missing, 0, true, now)
			continue
		}
		tree.Fetched(g, Body, 100, true, now)
		if links {
			tree.GuessNamed(g, []string{g + "1"})
		} else {
			tree.GuessNamed(g, []string{path(i + 2)}) // as near as a page that is there
		}
		tree.Read(g, Text{Fingerprint: uint32(1e6 + i), Exact: uint32(1e6 + i), Document: true, First: true, Awaited: true}, now)
	}
	return tree, madeUp
}

// A chain of pages is closed if its server has a page for any number, and goes on if it has none,
// or one that names nothing but real pages. What is asked beside the chain is little.
func TestAServerThatInventsPagesIsFoundOut(t *testing.T) {
	for _, c := range []struct {
		name        string
		text, links bool
		closed      bool
		most        int
	}{
		{"invents", true, true, true, 10},
		{"no page", false, false, false, 3},
		{"a page with a new text that names real pages", true, false, false, 8},
	} {
		tree, madeUp := chain(1000, c.text, c.links)
		if got := tree.Closed(":http/n/5000", 0); got != c.closed || madeUp == 0 || madeUp > c.most {
			t.Errorf("%s: closed %v, %d made up, at most %d\n%s", c.name, got, madeUp, c.most, tree)
		}
	}
	if tree, _ := chain(30, true, true); !tree.Closed(":http/n/5000", 0) {
		t.Errorf("not closed after 30 pages\n%s", tree)
	}
}

// A shape whose pages say one of fifty texts is closed when these are known, and one whose texts
// are new half of the time is not, however long it goes on.
func TestAShapeWhoseTextsAreKnownIsClosed(t *testing.T) {
	for _, texts := range []int{50, 1 << 30} {
		tree, fetched := New(nil), 0
		for i := range 2000 {
			path := fmt.Sprintf(":http/e/%d", i)
			tree.Begin(int64(i + 1))
			if tree.Closed(path, 0) {
				break
			}
			fetched++
			tree.Found(path, ":http/")
			f := uint32(1 + i/2%texts)
			tree.Read(path, Text{Fingerprint: f, Exact: f, Document: true, First: true}, 0)
		}
		if cut := fetched < 200; cut != (texts == 50) {
			t.Errorf("%d texts: %d fetches\n%s", texts, fetched, tree)
		}
	}
}
