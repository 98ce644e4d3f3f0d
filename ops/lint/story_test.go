package lint

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// story lists the files that tell a record's journey, in the order of reading:
// the map, the edges, the loop, the Handle functions, and the test that follows
// one URL through all of them.
func story() []string {
	return []string{
		"topics/doc.go", "topics/groups.go",
		"streams/task.go", "streams/group.go", "streams/work.go",
		"consumers/schedule/task.go", "consumers/fetch/task.go", "consumers/extract/task.go",
		"consumers/dedupe/task.go", "consumers/index/task.go",
		"cmd/wire/journey_test.go",
	}
}

// maxStory is how many lines can be read in one sitting.
const maxStory = 1550

func TestTheStoryOfARecordCanBeReadInOneSitting(t *testing.T) {
	total := 0
	for _, name := range story() {
		b, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		n := bytes.Count(b, []byte("\n"))
		total += n
		t.Logf("%5d %s", n, name)
	}
	if total > maxStory {
		t.Errorf("%d lines, at most %d", total, maxStory)
	}
}
