package article

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// A Lexicon has weights for names of elements and words of text: the logarithm of how much more
// often they occur in main text than elsewhere. It is learned from pages of many sites
// (bench/extract/train).
type Lexicon struct {
	Names map[string]float32
	Words map[string]float32
}

// parseLexicon reads lines of kind, name and weight: "name sidebar -1.93", "word copyright -3.10".
func parseLexicon(s string) (*Lexicon, error) {
	l := &Lexicon{Names: make(map[string]float32, 2048), Words: make(map[string]float32, 2048)}
	for line := range strings.Lines(s) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0][0] == '#' {
			continue
		}
		if len(f) != 3 {
			return nil, fmt.Errorf("lexicon: %q", line)
		}
		w, err := strconv.ParseFloat(f[2], 32)
		if err != nil {
			return nil, fmt.Errorf("lexicon: %q: %w", line, err)
		}
		switch f[0] {
		case "name":
			l.Names[f[1]] = float32(w)
		case "word":
			l.Words[f[1]] = float32(w)
		default:
			return nil, fmt.Errorf("lexicon: %q", line)
		}
	}
	return l, nil
}

// String returns the lexicon in the form that parseLexicon reads.
func (l *Lexicon) String() string {
	var lines []string
	for kind, weights := range map[string]map[string]float32{"name": l.Names, "word": l.Words} {
		for w, v := range weights {
			lines = append(lines, fmt.Sprintf("%s %s %.2f", kind, w, v))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// nameWeight adds up the weights of an element's names, each once, limited to -6 to 6.
func (l *Lexicon) nameWeight(n *html.Node) float32 {
	total := float32(0)
	elementNames(n, func(name string) { total += l.Names[name] })
	return max(min(total, 6), -6)
}

// Names calls f with every name (class, id and so on) of the box's element.
func (b *Box) Names(f func(string)) { elementNames(b.Node, f) }

// Terms calls f with the words of the block that a Lexicon weighs.
func (b *Block) Terms(f func(string)) {
	n := 0
	eachTerm(cutRunes(b.Text, maxWords*6), func(w string) bool {
		f(w)
		n++
		return n < maxWords
	})
}

// maxWords is how many words of a block are weighed: boilerplate shows in its first words, and long
// blocks need no words.
const maxWords = 24

// wordWeights returns the mean and the least weight of a block's first words, and the weight of the
// first.
func (l *Lexicon) wordWeights(b *Block) (mean, least, first float32) {
	n := 0
	eachTerm(cutRunes(b.Text, maxWords*6), func(w string) bool {
		weight := l.Words[w]
		if n == 0 {
			first = weight
		}
		mean += weight
		least = min(least, weight)
		n++
		return n < maxWords
	})
	if n > 0 {
		mean /= float32(n)
	}
	return mean, least, first
}

// eachTerm calls f with every word, and with pairs of wide characters, until f returns false.
func eachTerm(s string, f func(string) bool) {
	enough := false
	last := ""
	EachWord(s, func(w string) {
		if enough {
			return
		}
		if len(w) >= 3 && isIdeographic(firstRune(w)) {
			if last != "" {
				enough = !f(last + w)
			}
			last = w
			return
		}
		last = ""
		enough = !f(w)
	})
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}
