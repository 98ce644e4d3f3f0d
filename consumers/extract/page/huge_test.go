//go:build !race

package page

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// The test of this file is not run with the race detector, with which it takes minutes: it starts
// no goroutine.

// TestHugePagesCostBoundedMemory reads pages as large as a body may be, each made of one thing:
// what is allocated for one is bounded, and a page of a single text keeps the beginning of it.
func TestHugePagesCostBoundedMemory(t *testing.T) {
	const n = 1_000_000
	x := newExtractor(t)
	for name, body := range map[string]string{
		"nested divs":       strings.Repeat("<div>", n) + "deep",
		"attributes":        "<p " + strings.Repeat("a=b ", n) + ">text",
		"other attributes":  "<p " + numbered("a", n) + ">text",
		"one text":          "<p>" + strings.Repeat("the mill turns ", 2*n),
		"one word":          "<p>" + strings.Repeat("x", 8*n),
		"one Chinese text":  "<p>" + strings.Repeat("\u6c34\u8f66\u8f6c\u52a8\u3002", n/2),
		"right to left":     `<html dir=rtl lang=ar><p>` + strings.Repeat("\u0627\u0644\u0633\u0627\u0642\u064a\u0629 ", n/2),
		"meta refresh":      strings.Repeat(`<meta http-equiv=refresh content="0;url=/a">`, n/4),
		"frames":            "<frameset>" + strings.Repeat("<frame src=/a>", n/4),
		"a lie of charsets": `<meta charset=utf-16le>` + strings.Repeat("\xc3\x28\xff", n),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := x.Extract(Input{URL: "http://example.com/", ContentType: "text/html; charset=utf-8", Body: []byte(body)})
		runtime.ReadMemStats(&after)
		check(t, x.opts, r)
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 700 {
			t.Errorf("%s: %d MB allocated", name, mb)
		} else {
			t.Logf("%s: %d MB allocated, %d bytes of text, %d links, drop %q", name, mb, len(r.Text), len(r.Links), r.Drop)
		}
	}
}

func numbered(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d=b ", name, i)
	}
	return b.String()
}
