package page

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestTagsAreNoBomb: pages of eight million bytes that are nothing but tags, nested, side by side,
// or formatting that every block opens again, are read within a bounded number of bytes.
func TestTagsAreNoBomb(t *testing.T) {
	const size = 8 << 20
	var fonts strings.Builder
	for i := range 400 {
		fmt.Fprintf(&fonts, "<b a=%d>", i)
	}
	for name, body := range map[string]string{
		"nested":     strings.Repeat("<b>", size/3),
		"divs":       strings.Repeat("<div>", size/5),
		"wide":       strings.Repeat("<p>", size/3),
		"formatting": fonts.String() + strings.Repeat("<p>x", size/4),
		"short":      fonts.String() + strings.Repeat("<p>x", 64<<10/4),
		"upper case": strings.ToUpper(fonts.String()) + strings.Repeat("<P>X", 64<<10/4),
		"words":      strings.Repeat("<i>a</i>b", size/9),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		root, _ := parse([]byte(body))
		runtime.ReadMemStats(&after)
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 200 {
			t.Errorf("%s: %d MB allocated", name, mb)
		}
		n := 0
		for range root.Descendants() {
			n++
		}
		if n > maxTree+2 || n == 0 {
			t.Errorf("%s: %d nodes", name, n)
		}
	}
}
