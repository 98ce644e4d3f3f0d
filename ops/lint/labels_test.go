package lint

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every label that a comment or DESIGN.md cites (I1 to I13, X1 and so on) is defined in DESIGN.md,
// as **I1**. A letter and a number that look like one count, too: F1 and C1 are words of the field.
func TestEveryLabelThatIsCitedIsDefined(t *testing.T) {
	root := filepath.Join("..", "..")
	design, err := os.ReadFile(filepath.Join(root, "DESIGN.md"))
	if err != nil {
		t.Fatal(err)
	}
	defined := map[string]bool{}
	for _, m := range regexp.MustCompile(`\*\*([IX][0-9]+)\*\*`).FindAllStringSubmatch(string(design), -1) {
		defined[m[1]] = true
	}
	if len(defined) < 13 {
		t.Fatalf("DESIGN.md defines only %v", defined)
	}
	label := regexp.MustCompile(`(?:^|[^%\w])([ABDEIX][1-9][0-9]?)\b`)
	cited := 0
	look := func(path string, line int, text string) {
		for _, m := range label.FindAllStringSubmatch(text, -1) {
			if cited++; !defined[m[1]] {
				t.Errorf("%s:%d cites %s, which DESIGN.md does not define: define it there in bold type, as I1 is", path, line, m[1])
			}
		}
	}
	look("DESIGN.md", 0, string(design))
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		return eachComment(path, func(line int, text string) { look(path, line, text) })
	})
	if err != nil || cited == 0 {
		t.Fatalf("%d labels found (%v)", cited, err)
	}
}

// eachComment calls fn for the part of every line that is a comment.
func eachComment(path string, fn func(line int, text string)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for n := 1; lines.Scan(); n++ {
		if _, text, ok := strings.Cut(lines.Text(), "//"); ok {
			fn(n, text)
		}
	}
	return lines.Err()
}

// Results that are checked in are found by one name, and in bench/README.md.
func TestResultsAreNamedAlike(t *testing.T) {
	bench := filepath.Join("..", "..", "bench")
	index, err := os.ReadFile(filepath.Join(bench, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(bench, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		if rel, _ := filepath.Rel(bench, path); name == "RESULTS.md" && !strings.Contains(string(index), " "+filepath.ToSlash(rel)+" |") {
			t.Errorf("bench/README.md does not list %s: add it to the table", rel)
		}
		if strings.EqualFold(strings.TrimSuffix(name, filepath.Ext(name)), "results") && !d.IsDir() && name != "RESULTS.md" {
			t.Errorf("%s: results are RESULTS.md", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
