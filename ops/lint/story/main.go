// Command story prints how long the story of a record is: the files that a newcomer reads to follow
// one URL from seed to search result, in the order of reading, with their words.
//
//	go run ./ops/lint/story
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// files tell a record's journey: the words, the map, the edges, the loop, the Handle functions, and
// the test that follows one URL through all of them.
func files() []string {
	return []string{
		"topics/doc.go", "schema/messages.proto", "topics/topics.go", "topics/groups.go",
		"streams/task.go", "streams/group.go", "streams/work.go",
		"consumers/schedule/task.go", "consumers/fetch/task.go", "consumers/extract/task.go",
		"consumers/dedupe/task.go", "consumers/index/task.go",
		"cmd/wire/journey_test.go",
	}
}

// maxWords is the length of a text that can be read in one sitting.
const maxWords = 12_000

// measure counts the words of the story below the root of the repository.
func measure(root string) (words map[string]int, total int, err error) {
	words = map[string]int{}
	for _, name := range files() {
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, 0, err
		}
		words[name] = len(bytes.Fields(b))
		total += words[name]
	}
	return words, total, nil
}

func main() {
	words, total, err := measure(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "story:", err, "(run it in the root of the repository)")
		os.Exit(1)
	}
	for _, name := range files() {
		fmt.Printf("%6d  %s\n", words[name], name)
	}
	fmt.Printf("%6d  words in all, at most %d\n", total, maxWords)
}
