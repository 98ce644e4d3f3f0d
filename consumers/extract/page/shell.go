package page

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/plain"
)

// A page is a shell if it shows fewer than shellShown words outside links: its scripts would show
// the rest. Many shells carry the data of what they will show, for their own scripts.
const (
	shellShown   = 40
	shellWords   = 60      // fewest words of data that are taken for a text
	shellLong    = 40      // words of a text that stands in one string
	shellMany    = 3       // strings of a text that stands in several, and
	shellMean    = 12      // words that these have on average: labels have fewer
	maxShellText = 2 << 20 // bytes of scripts that are read
	maxStrings   = 4000    // strings that are looked at
	maxNested    = 2       // data written as a string of data, as often as this
)

// fill puts the text that the data of a shell holds into the page, as its scripts would, and
// returns where; nil if the page is no shell, or holds none.
func fill(root *html.Node, p *article.Page) *html.Node {
	if p.Unlinked() >= shellShown {
		return nil
	}
	body := lastBody(root)
	if body == nil {
		return nil
	}
	d := shellData{groups: map[string]*shellGroup{}}
	for n := range root.Descendants() {
		if n.DataAtom == atom.Script && n.FirstChild != nil && d.read < maxShellText && !strings.Contains(strings.ToLower(attr(n, "type")), "ld+json") {
			data := plain.Cut(n.FirstChild.Data, maxShellText-d.read)
			d.read += len(data)
			d.script(data, maxNested)
		}
	}
	g := d.best()
	if g == nil {
		return nil
	}
	main := &html.Node{Type: html.ElementNode, Data: "main", DataAtom: atom.Main}
	for _, s := range g.texts {
		appendText(main, s)
	}
	body.AppendChild(main)
	return main
}

func lastBody(root *html.Node) (body *html.Node) {
	for n := range root.ChildNodes() {
		for c := range n.ChildNodes() {
			if c.DataAtom == atom.Body {
				body = c
			}
		}
	}
	return body
}

// appendText appends a string of a page's data, which may be HTML, as paragraphs.
func appendText(main *html.Node, s string) {
	if isMarkup(s) {
		for _, n := range parseFragment(s) {
			main.AppendChild(n)
		}
		return
	}
	for line := range strings.Lines(html.UnescapeString(s)) {
		p := &html.Node{Type: html.ElementNode, Data: "p", DataAtom: atom.P}
		p.AppendChild(&html.Node{Type: html.TextNode, Data: line})
		main.AppendChild(p)
	}
}

func isMarkup(s string) bool {
	return strings.Contains(s, "</") || strings.Contains(s, "<br") || strings.Contains(s, "<p>")
}

// shellData collects the strings of a page's data that read like text, by the name that they have
// there: the paragraphs of an article have one name, the labels of a page each its own.
type shellData struct {
	groups map[string]*shellGroup
	order  []*shellGroup
	read   int // bytes
	seen   int // strings
}

type shellGroup struct {
	texts   []string
	words   int
	longest int // words
}

// best returns the group with the most words; nil if none is a text.
func (d *shellData) best() *shellGroup {
	var best *shellGroup
	for _, g := range d.order {
		if g.words >= shellWords && (g.longest >= shellLong || len(g.texts) >= shellMany) && g.words >= shellMean*len(g.texts) && (best == nil || g.words > best.words) {
			best = g
		}
	}
	return best
}

// script looks at all strings of a script or of JSON. It does not parse: what it needs of the
// syntax of both is the same.
func (d *shellData) script(s string, nested int) {
	name := ""
	for i := 0; i < len(s) && d.seen < maxStrings; {
		if s[i] != '"' && s[i] != '\'' {
			i++
			continue
		}
		end, ok := stringEnd(s, i)
		if !ok { // the sign is no beginning of a string: an apostrophe in a comment
			i = end
			continue
		}
		rest := strings.TrimLeft(s[end:min(end+8, len(s))], " \n\t")
		switch before := nameBefore(s[:i]); {
		case strings.HasPrefix(rest, ":"):
			name = plain.Cut(s[i+1:end-1], 60)
		default:
			if before != "" {
				name = before
			}
			d.seen++
			d.value(name, s[i+1:end-1], nested)
		}
		i = end
	}
}

// stringEnd returns the index after the string that begins at i; false if the line ends before, and
// where.
func stringEnd(s string, i int) (int, bool) {
	for k := i + 1; k < len(s); k++ {
		switch s[k] {
		case s[i]:
			return k + 1, true
		case '\\':
			k++
		case '\n':
			return k, false
		}
	}
	return len(s), false
}

// nameBefore returns the name without quotes before a value (body: "..."); "" if there is none.
func nameBefore(s string) string {
	s = strings.TrimRight(s[max(0, len(s)-80):], " \n\t")
	s, ok := strings.CutSuffix(s, ":")
	if !ok {
		return ""
	}
	s = strings.TrimRight(s, " ")
	i := len(s)
	for i > 0 && (s[i-1] == '_' || s[i-1] == '$' || s[i-1]|0x20 >= 'a' && s[i-1]|0x20 <= 'z' || s[i-1] >= '0' && s[i-1] <= '9') {
		i--
	}
	return s[i:]
}

// value takes a string, still with its escapes, if it reads like text; data in it is read in turn.
func (d *shellData) value(name, raw string, nested int) {
	if len(raw) < 30 {
		return
	}
	s := unescape(raw)
	if strings.Contains(s, `":`) {
		if nested > 0 {
			d.script(s, nested-1)
		}
		return
	}
	shown := s
	if isMarkup(s) {
		s = s[max(0, strings.IndexByte(s, '<')):]
		shown = statedText(s, len(s))
	}
	words := proseWords(shown)
	if words == 0 {
		return
	}
	g := d.groups[name]
	if g == nil {
		g = &shellGroup{}
		d.groups[name] = g
		d.order = append(d.order, g)
	}
	g.texts = append(g.texts, s)
	g.words += words
	g.longest = max(g.longest, words)
}

// proseWords returns the words of a string that reads like a sentence or more; 0 if it does not, or
// if it is about cookies and scripts, as labels of every page are.
func proseWords(s string) int {
	letters, blanks, other, wide := 0, 0, 0, 0
	for _, r := range s {
		switch {
		case r == ' ' || r == '\n' || r == '\t' || r == 0xa0:
			blanks++
		case r >= 0x2e80:
			wide++
		case r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0xc0:
			letters++
		default:
			other++
		}
	}
	if letters+wide < 3*other || letters > 15*blanks && wide < letters {
		return 0
	}
	words := wordsIn(s)
	if words < 6 || article.SpeaksOfScripts(s) && words < 200 {
		return 0
	}
	return words
}

// unescape undoes the escapes of strings in JavaScript and JSON.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n', 'r':
			out.WriteByte('\n')
		case 't', 'b', 'f', 'v':
			out.WriteByte(' ')
		case 'u':
			r, used := escapedRune(s[i+1:])
			out.WriteRune(r)
			i += used
		case 'x':
			if r, ok := hexOf(s[i+1:], 2); ok {
				out.WriteRune(r)
				i += 2
			}
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

// escapedRune reads what follows \u: four digits, and the second half of a pair; {…} has any number
// of digits.
func escapedRune(s string) (r rune, used int) {
	if strings.HasPrefix(s, "{") {
		end := strings.IndexByte(s[:min(len(s), 8)], '}')
		if r, ok := hexOf(s[1:], end-1); end > 1 && ok {
			return r, end + 1
		}
		return utf8.RuneError, 0
	}
	r, ok := hexOf(s, 4)
	if !ok {
		return utf8.RuneError, 0
	}
	if 0xd800 <= r && r < 0xdc00 && strings.HasPrefix(s[4:], `\u`) {
		if low, ok := hexOf(s[6:], 4); ok && 0xdc00 <= low && low < 0xe000 {
			return (r-0xd800)<<10 + (low - 0xdc00) + 0x10000, 10
		}
	}
	return r, 4
}

func hexOf(s string, digits int) (r rune, ok bool) {
	if digits < 1 || len(s) < digits {
		return 0, false
	}
	for _, c := range []byte(s[:digits]) {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
