// Command dictionary writes chinese.gz, the words by which package text cuts Chinese, from the
// dictionaries of github.com/go-ego/gse (data/dict/zh/s_1.txt and t_1.txt; Apache-2.0, in part from
// jieba, MIT):
//
//	d=$(go mod download -json github.com/go-ego/gse@v0.80.3 | jq -r .Dir)/data/dict/zh
//	go run ./consumers/index/text/dictionary $d/s_1.txt $d/t_1.txt > consumers/index/text/chinese.gz
//
// A line is a byte and a word. The byte is 33 + 6 * log2 of the word's frequency, at most 126. Only
// words of two to six Han characters are kept: every character is a word anyway, and longer words
// consist of shorter ones. Most of the rarest words are left out for the same reason.
//
// Limits: the frequencies of the two dictionaries are taken as if they were counted in the same
// texts.
package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "dictionary:", err)
		os.Exit(1)
	}
}

func run(files []string) error {
	words := map[string]float64{}
	for _, name := range files {
		if err := read(name, words); err != nil {
			return err
		}
	}
	if len(words) == 0 {
		return fmt.Errorf("no words in %d files", len(files))
	}
	z, err := gzip.NewWriterLevel(os.Stdout, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, w := range slices.Sorted(maps.Keys(words)) {
		if rare := words[w]; rare < 3 || rare == 3 && utf8.RuneCountInString(w) > 3 {
			continue
		}
		level := byte(min(126, 33+6*math.Log2(max(1, words[w]))))
		if _, err := fmt.Fprintf(z, "%c%s\n", level, w); err != nil {
			return err
		}
	}
	return z.Close()
}

// read reads lines "word frequency kind"; others are skipped.
func read(name string, into map[string]float64) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		part := strings.Fields(lines.Text())
		if len(part) < 2 {
			continue
		}
		n := utf8.RuneCountInString(part[0])
		freq, err := strconv.ParseFloat(part[1], 64)
		if err != nil || n < 2 || n > 6 || strings.ContainsFunc(part[0], func(r rune) bool { return !unicode.Is(unicode.Han, r) }) {
			continue
		}
		into[part[0]] = max(into[part[0]], freq)
	}
	return lines.Err()
}
