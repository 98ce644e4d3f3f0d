package columns

import (
	"strings"
	"testing"
)

func TestOnlyParagraphsWithLongLinesAreWrapped(t *testing.T) {
	words := strings.Repeat("word ", 25)
	src := "// " + words + "end\n// of it\n//\n// short\n// lines\n//\n//   - " + words + "end\n//     of it\n//   - two\n//\n//\tcode " + words +
		"\n//    pre " + words + "\nfunc f() { // " + words + "\n\t// " + words + "\n}\n"
	got := Wrap(src)
	for _, line := range []string{"// short", "// lines", "//   - two", "//\tcode " + words, "//    pre " + words, "func f() { // " + words} {
		if !strings.Contains("\n"+got, "\n"+line+"\n") {
			t.Errorf("%.20q has gone:\n%s", line, got)
		}
	}
	if n := Long(src); len(n) != 3 || n[0] != 1 || n[1] != 7 || n[2] != 14 {
		t.Errorf("long lines %v", n)
	}
	if n := Long(got); len(n) != 0 {
		t.Errorf("still too long: %v\n%s", n, got)
	}
	if again := Wrap(got); again != got {
		t.Errorf("wrapped twice:\n%s", again)
	}
	if strings.Join(strings.Fields(strings.ReplaceAll(got, "//", "")), " ") != strings.Join(strings.Fields(strings.ReplaceAll(src, "//", "")), " ") {
		t.Errorf("words were lost or moved:\n%s", got)
	}
}
