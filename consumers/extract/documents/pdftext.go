package documents

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"millrace/consumers/extract/plain"
)

// pdfLine is a line of a page.
type pdfLine struct {
	text string
	at   int     // index of its first character; -1 if not known
	size float64 // of its first character, in points; 0 if not known
}

// sizedPages is on how many pages the font sizes are read.
const sizedPages = 100

// splitLines cuts the text of a page into lines. pdfium writes U+FFFE where a word was divided at
// the end of a line. chars is the number of characters of the page; if the text has another number,
// positions in it are unknown.
func splitLines(lines []pdfLine, text string, chars int) []pdfLine {
	known := utf8.RuneCountInString(text) == chars
	at := 0
	for raw := range strings.SplitSeq(text, "\n") {
		n := utf8.RuneCountInString(raw) + 1
		if clean := plain.Clean(joinDivided(raw)); clean != "" {
			l := pdfLine{text: clean, at: -1}
			if known {
				l.at = at + len(raw) - len(strings.TrimLeft(raw, " \t"))
			}
			lines = append(lines, l)
		}
		at += n
	}
	return lines
}

// joinDivided joins words that were divided at the end of a line. Before a capital letter or a
// digit the hyphen is kept.
func joinDivided(s string) string {
	if !strings.ContainsRune(s, '\ufffe') {
		return s
	}
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		switch {
		case r != '\ufffe':
			b.WriteRune(r)
		case i+1 < len(runes) && !unicode.IsLower(runes[i+1]):
			b.WriteByte('-')
		}
	}
	return b.String()
}

// paragraphs joins the lines of a page into paragraphs: a line of full length continues in the next
// one, unless that begins an item of a list or has another font size.
func paragraphs(lines []pdfLine) []string {
	full := fullLine(lines)
	var out []string
	var b strings.Builder
	for i, l := range lines {
		if b.Len() > 0 && !goesOn(lines[i-1], l, full) {
			out = append(out, b.String())
			b.Reset()
		}
		if b.Len() > 0 && !wide(l.text) {
			b.WriteByte(' ')
		}
		b.WriteString(l.text)
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

// fullLine returns the length of a line that reaches the margin, in characters; 0 if the page is no
// prose.
func fullLine(lines []pdfLine) int {
	if len(lines) < 3 {
		return 0
	}
	lengths := make([]int, len(lines))
	for i, l := range lines {
		lengths[i] = utf8.RuneCountInString(l.text)
	}
	slices.Sort(lengths)
	n := lengths[len(lengths)*3/4]
	if n < 20 {
		return 0
	}
	return n
}

func goesOn(l, next pdfLine, full int) bool {
	switch {
	case full == 0, utf8.RuneCountInString(l.text)*4 < full*3:
		return false
	case l.size > 0 && next.size > 0 && math.Abs(l.size-next.size) > 0.6:
		return false
	}
	r, _ := utf8.DecodeRuneInString(next.text)
	if unicode.IsLower(r) || wide(next.text) {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(l.text)
	return !startsItem(next.text) && (last != '.' && last != ':' && last != '!' && last != '?' || utf8.RuneCountInString(l.text)*10 >= full*9)
}

// wide reports whether text begins with a script without spaces.
func wide(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// startsItem reports whether a line begins with a bullet, or a number such as 1. 1.2 (a) [3].
func startsItem(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	if strings.ContainsRune("•–—▪●○■◦·*‣-", r) {
		return true
	}
	word, _, more := strings.Cut(s, " ")
	if !more || len(word) > 8 {
		return false
	}
	end := word[len(word)-1]
	return unicode.IsDigit(r) && (end == '.' || end == ')' || strings.Contains(word, ".")) || (r == '(' || r == '[') && len(word) > size
}

// fontSizes finds headings by their font size.
type fontSizes struct {
	chars map[int]int // number of characters by font size, in tenths of a point
	large []pdfLine   // short lines, in order
	first []pdfLine   // lines of the first page
}

func newFontSizes() fontSizes { return fontSizes{chars: map[int]int{}} }

const (
	maxSizes  = 1000
	maxLarge  = 5000
	maxHeadln = 160 // characters of a heading
)

func (s *fontSizes) note(page int, lines []pdfLine) {
	for _, l := range lines {
		if l.size <= 0 || l.size > 1000 || math.IsNaN(l.size) {
			continue
		}
		k, n := int(math.Round(l.size*10)), utf8.RuneCountInString(l.text)
		if _, known := s.chars[k]; known || len(s.chars) < maxSizes {
			s.chars[k] += n
		}
		if n <= maxHeadln && len(s.large) < maxLarge {
			s.large = append(s.large, l)
		}
		if page == 0 && len(s.first) < 200 {
			s.first = append(s.first, l)
		}
	}
}

// body returns the font size of most text.
func (s *fontSizes) body() float64 {
	best, most := 0, 0
	for k, n := range s.chars {
		if n > most || n == most && k < best {
			best, most = k, n
		}
	}
	return float64(best) / 10
}

// headings sets headings and title: from the outline if there is one, else from lines with a larger
// font than the text.
func (f *pdfFile) headings(outlined bool) {
	body := f.sizes.body()
	if !outlined && body > 0 {
		for _, l := range f.sizes.large {
			if l.size >= 1.15*body && strings.ContainsFunc(l.text, unicode.IsLetter) {
				f.heading(l.text)
			}
		}
	}
	if statedTitle(f.d.Title) == "" {
		if t := f.sizes.largest(body); t != "" {
			f.d.Title = t
		} else {
			f.d.Title = ""
		}
	}
}

// largest returns the adjacent lines of the first page in its largest font, if that is larger than
// the text.
func (s *fontSizes) largest(body float64) string {
	most := 0.0
	for _, l := range s.first {
		if utf8.RuneCountInString(l.text) > 3 {
			most = max(most, l.size)
		}
	}
	if most < 1.15*body {
		return ""
	}
	var b strings.Builder
	for _, l := range s.first {
		switch {
		case math.Abs(l.size-most) < 0.6 && b.Len() < 300:
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(l.text)
		case b.Len() > 0:
			return b.String()
		}
	}
	return b.String()
}
