package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"millrace/cmd/wire"
)

func TestTryTellsWhatWouldBecomeOfAPageAndWritesNothing(t *testing.T) {
	site, _ := newSite(t)
	t.Chdir(t.TempDir())
	want(t, []string{"allowed: there is none", "404", "200 in", "Content-Type: text/html", "outcome     ok", "title       Wheel 1  (title element)",
		"document    yes", site + "/page2  next", "water wheel number 1 turns"}, "try", "--allow-private", "--delay", "0s", site+"/page1")
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("%v left behind (%v)", left, err)
	}
}

func TestTryReadsAFileByTheRulesOfItsAddress(t *testing.T) {
	dir := t.TempDir()
	file, rules := filepath.Join(dir, "saved.html"), filepath.Join(dir, "rules.yaml")
	write(t, file, `<title>Mill news</title><h1 class=headline>The weir</h1><div class=story>The weir was rebuilt in stone.</div><div>Weather: rain.</div><a href=/next>on</a>`)
	write(t, rules, "- domain: mill.test\n  url: /story/\n  content: .story\n  title: .headline\n  article: true\n")
	a := use(t, "try", "--rules", rules, "--url", "https://www.mill.test/story/1", "--json", file)
	var got wire.Trial
	if err := json.Unmarshal([]byte(a.out), &got); err != nil || a.code != exitOK {
		t.Fatal(a.code, a.err, err)
	}
	r := got.Extract
	if got.Fetch != nil || r.Rule != "mill.test" || r.Title.Value != "The weir" || r.Title.From != "rule" || r.Text.Value != "The weir was rebuilt in stone." || !r.Useful ||
		len(r.Links) != 1 || !strings.HasPrefix(r.Links[0], "https://www.mill.test/next") {
		t.Errorf("%s", a.out)
	}
	want(t, []string{"title       Mill news"}, "try", file)
}

// A page's title may hold what turns the direction of writing: JSON on a terminal must not.
func TestJSONCannotSteerTheTerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	title := "abc\u202edef\u2066g\u200fh"
	write(t, file, "<title>"+title+"</title><p>The mill.</p>")
	a := use(t, "try", "--json", file)
	var got wire.Trial
	if err := json.Unmarshal([]byte(a.out), &got); err != nil || a.code != exitOK {
		t.Fatal(a.code, a.err, err)
	}
	for _, r := range a.out {
		if r != '\n' && steers(r) {
			t.Fatalf("%U stands in the answer", r)
		}
	}
	var before, after any
	in := []byte("{\"a\": \"x\u202e\u009b\u007f\u2028é例😀\",\n\"b\": [1]}")
	if json.Unmarshal(in, &before) != nil || json.Unmarshal(escaped(in), &after) != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("%q became %q", in, escaped(in))
	}
}

// What --learn prints is a file of rules, and these find what the models found.
func TestTryProposesARuleFromPagesOfASite(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i, word := range []string{"river", "harvest", "bridge"} {
		file := filepath.Join(dir, word+".html")
		write(t, file, `<html lang=en><title>The `+word+` - Mill News</title><ul><li><a href=/a>Home</a></ul><div class=wrap><h1>The `+word+` of the valley</h1>`+
			strings.Repeat("<p>The "+word+" by the old mill was the talk of the whole valley that week, and the miller kept his own counsel about it until the evening came.</p>", 4+i)+
			`</div><div class=foot>All rights reserved by the mill. Call us any time.</div>`)
		files = append(files, file)
	}
	a := use(t, append([]string{"try", "--learn", "--url", "https://www.mill.test/news/1"}, files...)...)
	if a.code != exitOK || !strings.Contains(a.out, "content: 'div.wrap'") || !strings.Contains(a.out, "same") {
		t.Fatal(a.code, a.err, a.out)
	}
	rules := filepath.Join(dir, "rules.yaml")
	write(t, rules, a.out)
	want(t, []string{"rule        mill.test", "text (rule)", "The bridge of the valley"}, "try", "--rules", rules, "--url", "https://www.mill.test/news/2", files[2])
}

func TestTryNamesTheMistake(t *testing.T) {
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules.yaml")
	write(t, rules, "- domain: mill.test\n  contents: .story\n")
	for _, c := range []struct {
		want string
		code int
		args []string
	}{
		{"usage: millrace try [flags] URL|FILE...", exitUsage, nil},
		{"--contact", exitUsage, []string{"https://mill.test/"}},
		{"neither http nor https", exitUsage, []string{"ftp://mill.test/"}},
		{"is a directory", exitFailure, []string{dir}},
		{"field contents not found", exitFailure, []string{"--rules", rules, rules}},
		{"one page at a time", exitUsage, []string{"http://a.test/", "http://b.test/"}},
		{"2 to 20 pages", exitUsage, []string{"--learn", "http://a.test/"}},
		{"need --url", exitUsage, []string{"--learn", rules, rules}},
		{"--url and --type are for a file", exitUsage, []string{"--url", "http://a.test/", "http://b.test/"}},
	} {
		if a := use(t, append([]string{"try"}, c.args...)...); a.code != c.code || !strings.Contains(a.err, c.want) || a.out != "" {
			t.Errorf("try %v: exit %d: %s%s", c.args, a.code, a.err, a.out)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
