package patterns

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"millrace/schema"
)

func TestTokensOfAShape(t *testing.T) {
	for path, want := range map[string]string{
		":http/": " ?",
		":https/news/2024/05/12/the-weir-was-rebuilt-in-stone.html": "news #+ ~.html ?",
		":http/calendar?day=20001":                                  "calendar ?day=#",
		":http/maze/0/1/3/":                                         "maze #+  ?",
		":http/a/b/a/b/a/b/x":                                       "(a/b)+ x ?",
		":http/shop?size=2&color=1":                                 "shop ?color=#&size=#",
		":http/w?action=edit&title=Main_Page":                       "w ?action=edit&title=*",
		":http/t/9f8e7d6c5b4a/x":                                    "t * x ?",
		":http/page-12.html":                                        "page-#.html ?",
		":http/p?id=8f3a9c11":                                       "p ?id=*",
		":https:8443/x":                                             "x ?",
	} {
		if got := strings.Join(Tokens(path), " "); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// events drives a tree with invented events; equal seeds give equal events.
func events(t *Tree, seed uint64, n int, from int64) {
	r := rand.New(rand.NewPCG(seed, 7))
	word := func(n int) string { return fmt.Sprintf("w%c%c", 'a'+r.IntN(n), 'a'+r.IntN(n)) }
	paths := []string{":http/"}
	for i := range n {
		ts, now := from+int64(i), int64(i)*1000
		if !t.Begin(ts) {
			r.IntN(2)
			continue
		}
		path := ":http"
		for range r.IntN(5) {
			path += "/" + word(6)
		}
		path += fmt.Sprintf("/%d?%s=%d", r.IntN(100), word(5), r.IntN(9))
		paths = append(paths, path)
		source := paths[r.IntN(len(paths))]
		t.Found(path, source)
		t.Met(source, paths[:1])
		t.Fetched(path, Answer(r.IntN(4)), int64(r.IntN(1000)), r.IntN(3) > 0, now)
		t.Read(path, Text{Fingerprint: uint32(1 + r.IntN(400)), Exact: uint32(1 + r.IntN(400)), Document: r.IntN(4) > 0,
			NoIndex: r.IntN(9) == 0, Soft404: r.IntN(9) == 0, Fit: true, First: r.IntN(4) > 0, Changed: true, Source: source}, now)
	}
}

// sums checks that every node counts what its children do.
func sums(t *testing.T, n *schema.PatternNode) {
	t.Helper()
	if len(n.Kids) == 0 {
		return
	}
	for i, p := range counts(n) {
		sum := int64(0)
		for _, k := range n.Kids {
			sum += *counts(k)[i]
		}
		if sum != *p {
			t.Fatalf("count %d of %q is %d, its children's sum %d", i, n.Token, *p, sum)
		}
	}
	for _, k := range n.Kids {
		sums(t, k)
	}
}

func TestMergingKeepsTheSumsAndTheBounds(t *testing.T) {
	for seed := range uint64(20) {
		tree := New(nil)
		events(tree, seed, 1500, 1)
		sums(t, tree.row.Root)
		if tree.row.Root.Found != 1500 || tree.row.Root.Fetched != 1500 {
			t.Fatalf("%d found, %d fetched of 1500", tree.row.Root.Found, tree.row.Root.Fetched)
		}
		if n := count(tree.row.Root); n > maxNodes || n != tree.shapes.nodes {
			t.Fatalf("%d nodes, counted as %d, at most %d", n, tree.shapes.nodes, maxNodes)
		}
		if n := tree.row.SizeVT(); n > MaxBytes {
			t.Fatalf("%d bytes, at most %d", n, MaxBytes)
		}
	}
}

func TestTheSameEventsGiveTheSameTreeWhateverRestartsAndRepeats(t *testing.T) {
	whole := New(nil)
	events(whole, 3, 800, 1)
	broken := New(nil)
	events(broken, 3, 800, 1)
	events(broken, 3, 800, 1) // a repeat
	b, err := broken.Row().MarshalVT()
	if err != nil {
		t.Fatal(err)
	}
	row := &schema.PatternsRow{}
	if err := row.UnmarshalVT(b); err != nil {
		t.Fatal(err)
	}
	read := New(row)
	events(whole, 5, 500, 1000)
	events(read, 5, 500, 1000)
	w, _ := whole.Row().MarshalVT()
	r, _ := read.Row().MarshalVT()
	if !bytes.Equal(w, r) {
		t.Fatalf("a tree that was stored goes on as\n%swant\n%s", read, whole)
	}
}

// read gives a tree the first answer to a URL: a page with a text.
func read(t *Tree, ts *int64, path, source string, text uint32) bool {
	*ts++
	t.Begin(*ts)
	t.Found(path, source)
	*ts++
	t.Begin(*ts)
	t.Fetched(path, Body, 1000, true, *ts)
	*ts++
	t.Begin(*ts)
	return t.Read(path, Text{Fingerprint: text, Exact: text, Document: true, Fit: true, First: true, Source: source}, *ts)
}

func TestABudgetGrowsWithNewTextAndEndsWithout(t *testing.T) {
	tree, ts := New(nil), int64(0)
	path := func(i int) string { return fmt.Sprintf(":http/t/%d", i) }
	for i := range 300 { // one new in nine: for ever
		if tree.Closed(path(i), ts) {
			t.Fatalf("closed after %d", i)
		}
		text := uint32(7)
		if i%9 == 0 {
			text = uint32(1000 + i)
		}
		read(tree, &ts, path(i), "", text)
	}
	n := 0
	for i := 300; !tree.Closed(path(i), ts); i++ {
		if n++; n > 200 {
			t.Fatal("200 fetches without a new text")
		}
		read(tree, &ts, path(i), "", 7)
	}
	if other := ":http/about"; tree.Closed(other, ts) {
		t.Error("another shape is closed as well")
	}
	if week := ts + weekMs + 1; tree.Closed(path(999), week) {
		t.Error("nothing is tried after a week")
	}
	read(tree, &ts, path(5000), "", 9999)
	if tree.Closed(path(5001), ts) {
		t.Error("a new text does not open the shape again")
	}
}

func TestAParameterIsDroppedOnlyIfItNeverChangedTheText(t *testing.T) {
	tree, ts := New(nil), int64(0)
	for page := range 5 {
		for s := range 6 {
			read(tree, &ts, fmt.Sprintf(":http/a/%c?ref=%d", 'a'+page, s), "", uint32(100+page))
			read(tree, &ts, fmt.Sprintf(":http/list?p=%d&ref=%d", page*10+s, s), "", uint32(1000+page*10+s))
		}
		read(tree, &ts, fmt.Sprintf(":http/a/%c", 'a'+page), "", uint32(100+page))
	}
	cut := 0
	for i := range 160 {
		if path := fmt.Sprintf(":http/a/z%d?ref=9", i); tree.Canonical(path) == strings.TrimSuffix(path, "?ref=9") {
			cut++
		}
		if path := fmt.Sprintf(":http/list?p=%d", i); tree.Canonical(path) != path {
			t.Fatalf("%s becomes %s", path, tree.Canonical(path))
		}
	}
	if cut < 140 || cut == 160 {
		t.Errorf("ref is left out of %d URLs of 160, want all but about one of 16", cut)
	}
	read(tree, &ts, ":http/a/q?ref=1", "", 5555)
	read(tree, &ts, ":http/a/q?ref=2", "", 5556)
	if path := ":http/a/z1?ref=9"; tree.Canonical(path) != path {
		t.Error("ref changed a text, and is dropped all the same")
	}
}

func TestWorthFollowsTheShape(t *testing.T) {
	tree, ts := New(nil), int64(0)
	for i := range 60 {
		read(tree, &ts, fmt.Sprintf(":http/news/%d", i), ":http/list/1", uint32(100+i))
		read(tree, &ts, fmt.Sprintf(":http/tag/%d", i), "", 7)
		read(tree, &ts, fmt.Sprintf(":http/list/%d", i), "", 8)
	}
	paths := []string{":http/tag/x1", ":http/tag/99", ":http/list/99", ":http/none/99", ":http/news/99"}
	list := slices.Clone(paths[1:])
	slices.SortFunc(list, func(a, b string) int { return int(1000 * (tree.Worth(a).Score() - tree.Worth(b).Score())) })
	if got := strings.Join(list, " "); got != ":http/tag/99 :http/none/99 :http/list/99 :http/news/99" &&
		got != ":http/tag/99 :http/list/99 :http/none/99 :http/news/99" {
		t.Errorf("worst first: %s", got)
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{":http/a/b?c=1", ":http", "?", "////", ":http/%ff/..?&&=&"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		tokens := Tokens(path)
		if len(tokens) < 2 || len(tokens) > maxSegments+1 || !strings.HasPrefix(tokens[len(tokens)-1], "?") {
			t.Fatalf("%q: %q", path, tokens)
		}
		for _, token := range tokens {
			if len(token) > 2*maxToken+16 {
				t.Fatalf("%q: a token of %d bytes", path, len(token))
			}
		}
		tree := New(nil)
		tree.Begin(1)
		tree.Found(path, path)
		tree.Read(path, Text{Exact: 1, Fingerprint: 1, Document: true, First: true}, 1)
		tree.Canonical(path)
	})
}
