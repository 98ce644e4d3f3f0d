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

// A digest that never comes holds its shape back for ten minutes, and no longer.
func TestALostDigestHoldsAShapeBackForABoundedTime(t *testing.T) {
	tree, ts := New(nil), int64(1)
	room := func(now int64) int64 { return tree.Gates(":http/a/99", now)[0].Room }
	tree.Begin(ts)
	tree.Found(":http/a/99", "")
	for i := range firstRoom {
		if room(ts) != int64(firstRoom-i) {
			t.Fatalf("room %d after %d pages that are not judged", room(ts), i)
		}
		tree.Fetched(fmt.Sprintf(":http/a/%d", i), Body, 100, true, ts)
	}
	if room(ts+patienceMs) != 0 || room(ts+patienceMs+1) != firstRoom {
		t.Errorf("room %d and %d", room(ts+patienceMs), room(ts+patienceMs+1))
	}
	tree.Read(":http/a/0", Text{Fingerprint: 1, Exact: 1, Document: true, First: true, Awaited: true}, ts+patienceMs+1)
	tree.Fetched(":http/a/50", Body, 100, true, ts+patienceMs+1)
	if got := room(ts + patienceMs + 1); got != firstRoom-1 {
		t.Errorf("room %d beside one page that is not judged", got)
	}
}

// A parameter of lists is kept although their texts are equal: they name different pages.
func TestAParameterOfListsIsKept(t *testing.T) {
	tree := New(nil)
	for i := range 40 {
		list := fmt.Sprintf(":http/list?color=%d&page=0", i)
		tree.Begin(int64(2*i + 1))
		tree.Found(list, "")
		tree.Found(fmt.Sprintf(":http/product/%d", i), list)
		tree.Brought(list, []string{fmt.Sprintf(":http/product/%d", i)})
		tree.Read(list, Text{Fingerprint: 7, Exact: 7, Document: true, First: true}, 1)
		tree.Read(":http/list?page=0", Text{Fingerprint: 7, Exact: 7, Document: true, First: i == 0}, 1)
	}
	if tree.Drops() {
		t.Error("the parameter of lists is dropped")
	}
}

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
		t.Named(source, []string{path})
		t.Met(source, "", paths[:1])
		t.Fetched(path, Answer(r.IntN(4)), int64(r.IntN(1000)), r.IntN(3) > 0, now)
		t.Read(path, Text{Fingerprint: uint32(1 + r.IntN(400)), Exact: uint32(1 + r.IntN(400)), Document: r.IntN(4) > 0,
			NoIndex: r.IntN(9) == 0, Soft404: r.IntN(9) == 0, Fit: true, First: r.IntN(4) > 0, Changed: true, Sources: []string{source}}, now)
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
	return t.Read(path, Text{Fingerprint: text, Exact: text, Document: true, Fit: true, First: true, Sources: []string{source}}, *ts)
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

// growing is a host whose pages name new pages of their own kind, from a first one on, in the order
// in which a crawl asks for them: the scouts first. name gives the children of a page; it ends when
// nothing is let in.
func growing(tree *Tree, name func(i int) []int, most int) int {
	ts, path := int64(0), func(i int) string { return fmt.Sprintf(":http/node/%d", i) }
	known, ahead, behind := map[int]bool{0: true}, []int{0}, []int(nil)
	parent, scout := map[int]int{0: -1}, map[int]bool{0: true}
	fetched := 0
	for len(ahead)+len(behind) > 0 && fetched < most {
		from := &ahead
		if len(ahead) == 0 || fetched%4 == 3 && len(behind) > 0 {
			from = &behind
		}
		i := (*from)[0]
		*from = (*from)[1:]
		if tree.Closed(path(i), ts) {
			continue
		}
		fetched++
		ts++
		tree.Begin(ts)
		var fresh, old []string
		for _, k := range name(i) {
			if known[k] {
				old = append(old, path(k))
				continue
			}
			fresh = append(fresh, path(k))
			if tree.Closed(path(k), ts) {
				continue
			}
			known[k], parent[k] = true, i
			tree.Found(path(k), path(i))
			if len(fresh) == 1 && tree.Scout(path(k), path(i), scout[i]) {
				ahead, scout[k] = append(ahead, k), true
			} else {
				behind = append(behind, k)
			}
		}
		tree.Named(path(i), fresh)
		tree.Met(path(i), path(parent[i]), old)
		ts++
		tree.Begin(ts)
		tree.Fetched(path(i), Body, 1000, true, ts)
		tree.Read(path(i), Text{Fingerprint: uint32(i + 1), Exact: uint32(i + 1), Document: true, First: true,
			Sources: []string{path(parent[i])}}, ts)
	}
	return fetched
}

// A site with an end is crawled to its end, whatever its links; invented pages cost
// no more than the verdict needs, also if each page leads back to the one before.
func TestOnlyWhatHasNoEndIsTakenForEndless(t *testing.T) {
	const n = 20_000
	below := func(list ...int) []int { return slices.DeleteFunc(list, func(k int) bool { return k >= n }) }
	for name, children := range map[string]func(i int) []int{
		"a tree of two": func(i int) []int { return below(2*i+1, 2*i+2) },
		"a tree of ten": func(i int) []int {
			return below(10*i+1, 10*i+2, 10*i+3, 10*i+4, 10*i+5, 10*i+6, 10*i+7, 10*i+8, 10*i+9, 10*i+10)
		},
		"a tree with a parent":  func(i int) []int { return below(5*i+1, 5*i+2, 5*i+3, 5*i+4, 5*i+5, (i-1)/5) },
		"a chain":               func(i int) []int { return below(i + 1) },
		"one before, one after": func(i int) []int { return below(i+1, max(i-1, 0)) },
		"anywhere":              func(i int) []int { return below(i+1, i*7919%n, i*104729%n, i*31337%n, i*611953%n) },
	} {
		if got := growing(New(nil), children, 2*n); got != n {
			t.Errorf("%s: %d of %d pages fetched", name, got, n)
		}
	}
	from := map[int]int{}
	invented := func(i int) []int { // it leads to the first page, to the one before and to nine new ones
		out := []int{0, from[i]}
		for k := range 9 {
			to := int(schema.Murmur2([]byte(fmt.Sprint(i, k))))
			from[to] = i
			out = append(out, to)
		}
		return out
	}
	if got := growing(New(nil), invented, n); got > 200 {
		t.Errorf("of pages that are invented %d were fetched", got)
	}
}
