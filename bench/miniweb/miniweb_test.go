package miniweb

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAWalkFindsEveryPageOnceAndOnlyPages(t *testing.T) {
	dir := t.TempDir()
	for name, body := range map[string]string{
		"index.html": `<title>Start</title><a href="a.html#x">a</a> <a href="a.html">again</a> <a href="none.html">gone</a> <a href="http://other.test/">out</a>`,
		"a.html":     `one <script>no words</script> two <a href="/">start</a><a href="pic.png">`,
		"pic.png":    "not a page",
		"lost.html":  "nobody links here",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Serve("127.0.0.1:0", []Host{{Name: "h.test", Seeds: []string{"/index.html"}, Mounts: []Mount{{Path: "/", dir: dir}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	pages, err := s.Walk("h.test")
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != 3 { // index.html, a.html, and / which is another URL
		t.Errorf("%d pages: %v", len(pages), pages)
	}
	if p := pages["http://h.test/a.html"]; len(p.Words) != 3 || p.Words[1] != "two" {
		t.Errorf("words of a.html: %q", p.Words)
	}
	if p := pages["http://h.test/index.html"]; p.Title != "Start" {
		t.Errorf("title %q", p.Title)
	}
}
