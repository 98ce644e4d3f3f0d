package text

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the dictionary
	"io"
	"iter"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Words returns the words of the parts of a text that are written without spaces, also words inside
// longer ones: of 南京市长江大桥 it returns 南京市, 长江大桥, 南京, 长江 and 大桥, but not 市长. Han, also in Japanese,
// is cut by a dictionary; a run of katakana is a word. Hangul and Thai give no words: in Korean,
// endings are attached to words, and in Thai nothing shows where words end.
func Words(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, run := range scriptRuns(s) {
			for _, w := range run.words() {
				if !yield(w) {
					return
				}
			}
		}
	}
}

// scriptRun is a run of characters of Han or of katakana.
type scriptRun struct {
	text     string
	katakana bool
}

func scriptRuns(s string) []scriptRun {
	var runs []scriptRun
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		in := script(r)
		if in == nil {
			i += size
			continue
		}
		start := i
		for i += size; i < len(s); i += size {
			if r, size = utf8.DecodeRuneInString(s[i:]); script(r) != in {
				break
			}
		}
		runs = append(runs, scriptRun{s[start:i], in == unicode.Katakana})
	}
	return runs
}

// script returns the script of a character, if words are cut from it; else nil.
func script(r rune) *unicode.RangeTable {
	switch {
	case 0x4E00 <= r && r <= 0x9FFF, 0x3400 <= r && r <= 0x4DBF:
		return unicode.Han
	case 0x30A1 <= r && r <= 0x30FA, r == 0x30FC:
		return unicode.Katakana
	}
	return nil
}

func (r scriptRun) words() []string {
	if r.katakana {
		if len(r.text) < 2*3 || len(r.text) > maxFormBytes {
			return nil
		}
		return []string{r.text}
	}
	var words []string
	d := dictionary()
	for _, w := range d.cut(r.text) {
		if len(w) >= 2*3 {
			words = append(append(words, w), d.inside(w)...)
		}
	}
	return words
}

// Known returns a word if it is in the dictionary, else "".
func Known(word string) string {
	if len(word) >= 2*3 && len(word) <= maxCut*4 && dictionary().has(word) {
		return word
	}
	return ""
}

//go:embed chinese.gz
var chinese []byte

// words is a dictionary: words of two to maxCut characters with the logarithm of their share.
type words map[string]float32

const maxCut = 6 // characters

// dictionary is read when the first Chinese text comes: it takes 0.2 s and 30 MB. A test checks
// that it can be read; otherwise every character would be a word, and searches would use pairs
// alone.
var dictionary = sync.OnceValue(func() words {
	d, err := readWords(chinese)
	if err != nil {
		return words{}
	}
	return d
})

// readWords reads the output of the command dictionary.
func readWords(packed []byte) (words, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	text := string(b) // the words are pieces of it
	total := 0.0
	d := make(words, strings.Count(text, "\n"))
	for line := range strings.Lines(text) {
		share := float64(line[0]-33) / 6 * math.Ln2
		total += math.Exp(share)
		d[line[1:len(line)-1]] = float32(share)
	}
	all := float32(math.Log(total))
	for w := range d {
		d[w] -= all
	}
	return d, nil
}

// single is the logarithm of the share of a single character, smaller than that of any word.
const single = -17

// cut returns the words whose product of shares is the greatest, by dynamic programming from the
// end.
func (d words) cut(run string) []string {
	var starts []int
	for i := range run {
		starts = append(starts, i)
	}
	n := len(starts)
	starts = append(starts, len(run))
	best, length := make([]float32, n+1), make([]int, n)
	for i := n - 1; i >= 0; i-- {
		best[i], length[i] = single+best[i+1], 1
		for k := 2; k <= maxCut && i+k <= n; k++ {
			share, ok := d[run[starts[i]:starts[i+k]]]
			if ok && share+best[i+k] > best[i] {
				best[i], length[i] = share+best[i+k], k
			}
		}
	}
	var all []string
	for i := 0; i < n; i += length[i] {
		all = append(all, run[starts[i]:starts[i+length[i]]])
	}
	return all
}

// inside returns the words of two and three characters inside a longer one.
func (d words) inside(word string) []string {
	var starts []int
	for i := range word {
		starts = append(starts, i)
	}
	n := len(starts)
	starts = append(starts, len(word))
	var all []string
	for i := range n {
		for k := 2; k <= 3 && i+k <= n && k < n; k++ {
			if w := word[starts[i]:starts[i+k]]; d.has(w) {
				all = append(all, w)
			}
		}
	}
	return all
}

func (d words) has(w string) bool {
	_, ok := d[w]
	return ok
}
