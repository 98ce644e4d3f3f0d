// Package score turns a text and its truth into the figures that the literature uses, so that ours
// can be laid beside
// theirs.
//
// Caveats: words are runs of letters and digits; a Chinese, Japanese or Thai character is a word,
// for there are no blanks to cut at.
package score

import (
	"strings"
	"unicode"
)

// Words cuts a text into the tokens that are compared, in lower case.
func Words(s string) []string { return tokens(strings.ToLower(s)) }

// tokens cuts a text into words as they are written.
func tokens(s string) []string {
	var out []string
	start := -1
	for i, r := range s {
		switch {
		case isWide(r):
			if start >= 0 {
				out = append(out, s[start:i])
				start = -1
			}
			out = append(out, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_':
			if start < 0 {
				start = i
			}
		case start >= 0:
			out = append(out, s[start:i])
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, s[start:])
	}
	return out
}

func isWide(r rune) bool {
	return 0x0e00 <= r && r <= 0x0eff || 0x3040 <= r && r <= 0x30ff || 0x3400 <= r && r <= 0x9fff || 0xf900 <= r && r <= 0xfaff
}

// PR is precision and recall.
type PR struct{ P, R float64 }

// F1 is their harmonic mean.
func (x PR) F1() float64 {
	if x.P+x.R == 0 {
		return 0
	}
	return 2 * x.P * x.R / (x.P + x.R)
}

// Multiset compares words regardless of order.
func Multiset(truth, got string) PR { return compare(Words(truth), Words(got)) }

// Shingles compares runs of four words as they are written, as scrapinghub's article extraction
// benchmark does.
func Shingles(truth, got string) PR { return compare(shingles(tokens(truth)), shingles(tokens(got))) }

func shingles(words []string) []string {
	const n = 4
	if len(words) == 0 {
		return nil
	}
	if len(words) < n {
		return []string{strings.Join(words, " ")}
	}
	out := make([]string, 0, len(words)-n+1)
	for i := 0; i+n <= len(words); i++ {
		out = append(out, strings.Join(words[i:i+n], " "))
	}
	return out
}

func compare(truth, got []string) PR {
	if len(truth) == 0 && len(got) == 0 {
		return PR{1, 1}
	}
	count := make(map[string]int, len(truth))
	for _, w := range truth {
		count[w]++
	}
	hit := 0
	for _, w := range got {
		if count[w] > 0 {
			count[w]--
			hit++
		}
	}
	var x PR
	if len(got) > 0 {
		x.P = float64(hit) / float64(len(got))
	}
	if len(truth) > 0 {
		x.R = float64(hit) / float64(len(truth))
	}
	return x
}

// Snippets counts which of the wanted and unwanted pieces a text holds.
type Snippets struct{ TP, FN, FP, TN int }

func blanks(s string) string { return strings.Join(strings.Fields(s), " ") }

// Add counts one page. White space of any kind and length counts as one blank.
func (s *Snippets) Add(text string, with, without []string) {
	text = blanks(text)
	for _, w := range with {
		if w = blanks(w); w != "" && strings.Contains(text, w) {
			s.TP++
		} else {
			s.FN++
		}
	}
	for _, w := range without {
		if w = blanks(w); w != "" && strings.Contains(text, w) {
			s.FP++
		} else {
			s.TN++
		}
	}
}

// F1 is the micro average over all snippets.
func (s Snippets) F1() float64 { return s.PR().F1() }

// PR is precision and recall over all snippets.
func (s Snippets) PR() PR {
	var x PR
	if s.TP+s.FP > 0 {
		x.P = float64(s.TP) / float64(s.TP+s.FP)
	}
	if s.TP+s.FN > 0 {
		x.R = float64(s.TP) / float64(s.TP+s.FN)
	}
	return x
}

// SameTokens says that two titles or names have the same words in the same order.
func SameTokens(a, b string) bool { return strings.Join(Words(a), " ") == strings.Join(Words(b), " ") }
