package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	protoMessage = regexp.MustCompile(`^\s*(message|enum)\s+(\w+)`)
	protoField   = regexp.MustCompile(`^\s*(?:repeated |optional )?([\w.]+) (\w+) = \d+;(.*)$`)
	protoWord    = regexp.MustCompile(`^//   (\w+) +\S`)
)

// TestEveryFieldOfARecordSaysWhatItHolds: readers in other languages have the .proto files and
// nothing else. A field has a comment, or its name is one of the words explained at the head of
// messages.proto, or it holds a message or enum, which has a comment of its own. Times (…_at) are
// explained there, too.
func TestEveryFieldOfARecordSaysWhatItHolds(t *testing.T) {
	files := map[string][]string{}
	words, types := map[string]bool{}, map[string]bool{}
	for _, name := range []string{"messages", "control", "links"} {
		b, err := os.ReadFile(filepath.Join("..", "..", "schema", name+".proto"))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = strings.Split(string(b), "\n")
		for _, line := range files[name] {
			if m := protoWord.FindStringSubmatch(line); m != nil {
				words[m[1]] = true
			}
			if m := protoMessage.FindStringSubmatch(line); m != nil {
				types[m[2]] = true
			}
		}
	}
	words["row_key"] = true // "row key"
	fields := 0
	for name, lines := range files {
		before := ""
		for i, line := range lines {
			m := protoField.FindStringSubmatch(line)
			if m != nil {
				fields++
				said := strings.Contains(m[3], "//") || strings.HasPrefix(strings.TrimSpace(before), "//")
				if !said && !types[m[1]] && !words[strings.TrimPrefix(m[2], "source_")] && !strings.HasSuffix(m[2], "ed_at") {
					t.Errorf("schema/%s.proto:%d: %s %s has no comment: write one behind it or above it, or explain the word at the head of messages.proto", name, i+1, m[1], m[2])
				}
			}
			before = line
		}
	}
	if fields < 200 {
		t.Fatalf("only %d fields found", fields)
	}
}
