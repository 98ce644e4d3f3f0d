package main

import (
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A text counts once, what no crawl has is missing, and the second half is judged by itself.
func TestFiguresCountEachTextOnce(t *testing.T) {
	all := &crawl{text: map[string]string{"a": "A", "b": "B", "c": "C"}, docs: map[string]bool{"a": true, "b": true}}
	c := &crawl{text: map[string]string{"print": "A", "a": "A", "b": "B"}, fetched: []string{"x", "print", "a", "b"}}
	f := c.figures(c.wanted(all, []string{"a", "b", "c", "d"}))
	if f.useful != 2 || f.found != 0.5 || f.share != 0.5 || f.second != 0.5 {
		t.Errorf("%+v", f)
	}
	if f := c.figures(c.wanted(all, nil)); f.found != 1 {
		t.Errorf("of the documents: %+v", f)
	}
	if p := plot([]curve{{"one", f.after}}); strings.Count(p, "\n") != 20 || !strings.Contains(p, "a one") {
		t.Errorf("plot:\n%s", p)
	}
}
