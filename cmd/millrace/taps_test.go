package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A crawl whose tap cannot write is complete and ends, with an error that says what is missing and
// what brings it; that command then brings it.
func TestACrawlEndsAlthoughItsTapCannotWrite(t *testing.T) {
	site, _ := newSite(t)
	dir, out := t.TempDir(), t.TempDir()
	block := filepath.Join(out, "_millrace", "staging") // where a folder should be
	if err := os.MkdirAll(filepath.Dir(block), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(block, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	a := use(t, flags(dir, "--until-idle", "--tap", "jsonl:links.found="+out, "--tap-wait", "1s", "--roll-every", "100ms", site+"/page1")...)
	if a.code != exitFailure || !strings.Contains(a.out, "documents              5") {
		t.Errorf("exit %d:\n%s", a.code, a.out)
	}
	for _, w := range []string{"tap jsonl=" + out, "records are in no file, and nothing was written for", "consume FORMAT --out DIR --data " + dir + " --until-end"} {
		if !strings.Contains(a.err, w) {
			t.Errorf("no %q in: %s", w, a.err)
		}
	}
	if err := os.Remove(block); err != nil {
		t.Fatal(err)
	}
	want(t, []string{"jsonl from links.found"}, "consume", "jsonl", "--topic", "links.found", "--out", out, "--data", dir, "--until-end", "--log-level", "error")
	if got := linesOf(t, out); len(got) == 0 {
		t.Error("nothing was written afterwards")
	}
}

// What bounds the files of a tap is wrong in the same words, wherever it is said.
func TestBoundsOfFilesThatCannotBeAreNamed(t *testing.T) {
	for _, args := range [][]string{
		flags(t.TempDir(), "--tap", "parquet="+t.TempDir(), "--roll-every", "1ms", "http://127.0.0.1:1/"),
		{"consume", "parquet", "--out", t.TempDir(), "--roll-every", "1ms"},
	} {
		if a := use(t, args...); a.code == exitOK || !strings.Contains(a.err, "a file is open for 100ms to 24h, not 1ms") {
			t.Errorf("%v: exit %d: %s", args, a.code, a.err)
		}
	}
	for group, wants := range map[string]string{
		"index": "is one of the crawl itself", "extract": "is one of the crawl itself", "dead-letters": "is one of the crawl itself",
		"a\nb": "is no name of a group", " ": "is no name of a group",
	} {
		if a := use(t, "consume", "jsonl", "--out", t.TempDir(), "--group", group); a.code == exitOK || !strings.Contains(a.err, wants) {
			t.Errorf("--group %q: exit %d: %s", group, a.code, a.err)
		}
	}
	data := t.TempDir()
	if a := use(t, flags(data, "--until-idle", "--tap", "jsonl="+filepath.Join(data, "state"), "http://127.0.0.1:1/")...); a.code == exitOK || !strings.Contains(a.err, "which holds a crawl: name a directory beside it") {
		t.Errorf("a tap among the files of its crawl: exit %d: %s", a.code, a.err)
	}
	if a := use(t, flags(t.TempDir(), "--tap", "warc:docs.unique=x", "http://127.0.0.1:1/")...); a.code == exitOK || !strings.Contains(a.err, "warc cannot be made of docs.unique") {
		t.Errorf("exit %d: %s", a.code, a.err)
	}
}
