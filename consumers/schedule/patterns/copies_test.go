package patterns

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// compareAll notes for n pages of a shape whether they have the text of the page that named them.
func compareAll(tree *Tree, n int, path, source string, same bool) {
	for i := range n {
		n := strconv.Itoa(i)
		for _, x := range tree.Twins(strings.ReplaceAll(path, "N", n), strings.ReplaceAll(source, "N", n)) {
			tree.Compared(x, uint32(i+1), same)
		}
	}
}

func sureTwin(tree *Tree, path, source string) string {
	for _, x := range tree.Twins(path, source) {
		if x.Sure {
			return x.Path
		}
	}
	return ""
}

// An old version of a manual is known for a copy of the current one, also where none of its own
// pages was named by that; a page to print is one of the page that names it. What has a text of its
// own is none.
func TestCopiesAreKnownByTheirAddress(t *testing.T) {
	tree := New(nil)
	compareAll(tree, copyFrom, ":http/v1.N/a.html", ":http/stable/a.html", true)
	compareAll(tree, copyFrom, ":http/print/N", ":http/2026/05/12/a-N.html", true)
	compareAll(tree, 100, ":http/talk/N", ":http/2026/05/12/a-N.html", false)
	for url, want := range map[[2]string]string{
		{":http/v1.1/b.html", ":http/v1.1/a.html"}:      ":http/stable/b.html",
		{":http/v2.0/b.html", ""}:                       ":http/stable/b.html",
		{":http/stable/b.html", ""}:                     "",
		{":http/print/99", ":http/2026/05/13/b-7.html"}: ":http/2026/05/13/b-7.html",
		{":http/print/99", ""}:                          "",
		{":http/talk/99", ":http/2026/05/13/b-7.html"}:  "",
		{":http/v1.1", ""}:                              ":http/stable",
	} {
		if got := sureTwin(tree, url[0], url[1]); got != want {
			t.Errorf("%s named by %s: %q, want %q", url[0], url[1], got, want)
		}
	}
}

// Copies that get texts of their own are fetched again, and the entries are bounded.
func TestCopiesThatChangeAreNoCopiesAnyMore(t *testing.T) {
	tree := New(nil)
	compareAll(tree, 1000, ":http/old/N.html", ":http/new/N.html", true)
	compareAll(tree, 2*copyMemory/copyOther, ":http/old/N.html", ":http/new/N.html", false)
	if got := sureTwin(tree, ":http/old/5.html", ""); got != "" {
		t.Errorf("still a copy of %s", got)
	}
	for i := range 200 {
		compareAll(tree, copyFrom, fmt.Sprintf(":http/%c%c/N.html", 'a'+i%26, 'a'+i/26), ":http/new/N.html", true)
	}
	if n := len(tree.Row().Copies); n > mostCopies {
		t.Errorf("%d entries", n)
	}
}

// While a site answers every URL with one text, nothing is taken for a copy.
func TestOneTextForAllPagesMakesNoCopies(t *testing.T) {
	tree := New(nil)
	for range 100 {
		for _, x := range tree.Twins(":http/news/1", ":http/2026/05/12/a.html") {
			tree.Compared(x, 7, true)
		}
	}
	if got := sureTwin(tree, ":http/news/2", ":http/2026/05/12/a.html"); got != "" {
		t.Errorf("a copy of %s", got)
	}
}

func FuzzTwins(f *testing.F) {
	f.Add(":http/v1/a", ":http/stable/a", true)
	f.Add(":http?x/y", "", false)
	f.Fuzz(func(t *testing.T, path, source string, same bool) {
		tree := New(nil)
		for i := range copyFrom {
			for _, x := range tree.Twins(path, source) {
				tree.Compared(x, uint32(i+1), same)
			}
		}
		for _, x := range tree.Twins(path, source) {
			if x.Path == path {
				t.Fatalf("%q is its own twin", path)
			}
		}
	})
}

// readAll reads pages of a tree as schedule does: a page is compared with its twins, and with
// guesses if its text is known.
func readAll(tree *Tree, pages map[string]string, order []string) {
	for i, path := range order {
		tree.Begin(int64(i + 1))
		exact := hash(pages[path])
		twins := tree.Twins(path, "")
		if tree.Had(uint64(exact), nil) {
			twins = append(twins, tree.Guesses(path)...)
		}
		tree.Fetched(path, Body, 100, true, 1000)
		tree.Read(path, Text{Fingerprint: exact, Exact: exact, Document: true, First: true}, 1000)
		for _, x := range twins {
			if text, ok := pages[x.Path]; ok {
				tree.Compared(x, exact, text == pages[path])
			}
		}
	}
}

// A first segment, capitals, and an identifier that change nothing make copies; where they change
// the text they make none.
func TestCopiesBySegmentLettersAndIdentifier(t *testing.T) {
	for _, same := range []bool{true, false} {
		pages, order := map[string]string{}, []string{}
		add := func(path, text string) {
			if !same {
				text += path
			}
			pages[path] = text
			order = append(order, path)
		}
		for i := range 30 {
			text := fmt.Sprintf("text %d", i)
			add(fmt.Sprintf(":http/a/%d", i), text)
			add(fmt.Sprintf(":http/en/a/%d", i), text)
			add(fmt.Sprintf(":http/A/%d", i), text)
			add(fmt.Sprintf(":http/s/%08x1d/a/%d", i*7919, i), text)
			add(fmt.Sprintf(":http/s/%08x1d/a/%d", i*104729+5, i), text)
		}
		tree := New(nil)
		readAll(tree, pages, order)
		for _, x := range []struct{ path, twin string }{
			{":http/en/a/77", ":http/a/77"}, {":http/A/77", ":http/a/77"}, {":http/en/en/A/77", ":http/a/77"},
		} {
			sure := false
			for _, twin := range tree.Twins(x.path, "") {
				sure = sure || twin.Sure && twin.Path == x.twin
			}
			if sure != same {
				t.Errorf("same text %v: %s is taken for a copy of %s: %v", same, x.path, x.twin, sure)
			}
		}
		if got := tree.Repeats(":http/s/4c3d2e1f00/a/7"); got != same {
			t.Errorf("same text %v: another identifier is taken for a copy: %v", same, got)
		}
		if n := tree.row.SizeVT(); n > MaxBytes {
			t.Errorf("%d bytes, at most %d", n, MaxBytes)
		}
	}
}
