package lint

import (
	"go/token"
	"slices"
	"strings"
	"testing"
)

// headings are those of a package comment, in their order.
func headings() []string {
	return []string{"Goals", "How it works", "Promises", "On failure", "Limits"}
}

// A package comment reads Goals, How it works, Promises, On failure, Limits, in this order, with
// other headings between them if needed. Commands say how they are called instead; helpers of tests
// and the parts of bench say what they are in a paragraph.
func TestAPackageCommentHasItsHeadings(t *testing.T) {
	seen := 0
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, "millrace/")
		if within(path, "bench") || strings.HasSuffix(path, "test") {
			continue
		}
		about, command := packageComment(t, p)
		if command {
			continue
		}
		seen++
		at := -1
		for _, h := range headings() {
			i := slices.Index(about, "# "+h)
			if i < 0 {
				t.Errorf("%s: the package comment lacks the heading \"# %s\"", path, h)
			} else if i < at {
				t.Errorf("%s: \"# %s\" stands before the heading that it follows: the order is %v", path, h, headings())
			}
			at = max(at, i)
		}
	}
	if seen < 60 {
		t.Fatalf("%d packages looked at", seen)
	}
}

// packageComment returns the lines of a package's comment, and whether it is a command.
func packageComment(t *testing.T, p pkg) (lines []string, command bool) {
	t.Helper()
	for _, s := range sources(t, p, token.NewFileSet()) {
		command = s.file.Name.Name == "main"
		if s.file.Doc != nil {
			lines = append(lines, strings.Split(s.file.Doc.Text(), "\n")...)
		}
	}
	return lines, command
}
