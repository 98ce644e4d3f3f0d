package documents

import (
	"fmt"
	"strconv"
	"strings"
)

// numbering computes the labels of numbered paragraphs (17.9): the file has only the rules.
type numbering struct {
	levels map[string]*[9]numLevel // of an abstract definition
	lists  map[string]string       // list -> abstract definition
	counts map[string]*[9]int      // of an abstract definition: lists that share one count on

	restarts map[string]map[int]int // of a list that begins anew: level -> number

	abstract, list string // while reading
	level          int
}

// numLevel says how a level is counted.
type numLevel struct {
	format, text string
	start        int
}

// maxLists bounds the lists of a numbering part that are kept.
const maxLists = 5000

func newNumbering() *numbering {
	return &numbering{levels: map[string]*[9]numLevel{}, lists: map[string]string{}, counts: map[string]*[9]int{},
		restarts: map[string]map[int]int{}, level: -1}
}

// restart says that a list begins a level with a number where it is used first.
func (n *numbering) restart(list string, level, number int) {
	if level < 0 || level > 8 || len(n.restarts) >= maxLists {
		return
	}
	if n.restarts[list] == nil {
		n.restarts[list] = map[int]int{}
	}
	n.restarts[list][level] = number
}

func (n *numbering) open(name string, a attrs) {
	switch name {
	case "abstractNum":
		if n.abstract = a.get("abstractNumId"); len(n.levels) < maxLists {
			n.levels[n.abstract] = &[9]numLevel{}
			for i := range n.levels[n.abstract] {
				n.levels[n.abstract][i].start = 1 // unless it says otherwise
			}
		}
	case "lvl", "lvlOverride":
		n.level = levelOf(a.get("ilvl"))
	case "startOverride":
		if v, err := strconv.Atoi(a.get("val")); err == nil && n.list != "" {
			n.restart(n.list, n.level, v)
		}
	case "num":
		n.abstract, n.list, n.level = "", a.get("numId"), -1
	case "abstractNumId":
		if n.list != "" && len(n.lists) < maxLists {
			n.lists[n.list] = a.get("val")
		}
	}
	l := n.levels[n.abstract]
	if l == nil || n.level < 0 || n.list != "" {
		return
	}
	switch name {
	case "start":
		l[n.level].start, _ = strconv.Atoi(a.get("val"))
	case "numFmt":
		l[n.level].format = a.get("val")
	case "lvlText":
		l[n.level].text = a.get("val")
	}
}

func (n *numbering) close(name string) {
	switch name {
	case "lvl":
		n.level = -1
	case "num":
		n.list = ""
	}
}
func (n *numbering) chars(string) {}

func levelOf(s string) int {
	if len(s) == 1 && s[0] >= '0' && s[0] <= '8' {
		return int(s[0] - '0')
	}
	return -1
}

// label counts a paragraph of a list and returns its label; "" if it has a bullet or no number.
func (n *numbering) label(list, at string) string {
	levels, level := n.levels[n.lists[list]], max(levelOf(at), 0)
	if levels == nil {
		return ""
	}
	c := n.counts[n.lists[list]]
	if c == nil {
		c = &[9]int{}
		n.counts[n.lists[list]] = c
	}
	for k, number := range n.restarts[list] {
		c[k] = number - levels[k].start
	}
	delete(n.restarts, list)
	for i := range level { // a skipped level counts as begun
		c[i] = max(c[i], 1)
	}
	c[level]++
	for i := level + 1; i < len(c); i++ {
		c[i] = 0
	}
	if f := levels[level].format; f == "bullet" || f == "none" || f == "" {
		return ""
	}
	text := levels[level].text
	for i := range levels {
		if place := "%" + strconv.Itoa(i+1); strings.Contains(text, place) {
			text = strings.ReplaceAll(text, place, number(levels[i], max(c[i], 1)))
		}
	}
	return text
}

func number(l numLevel, n int) string {
	n += l.start - 1
	switch l.format {
	case "lowerLetter":
		return strings.ToLower(letters(n))
	case "upperLetter":
		return letters(n)
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperRoman":
		return roman(n)
	case "decimalZero":
		return fmt.Sprintf("%02d", n)
	}
	return strconv.Itoa(n)
}

// letters counts A to Z, AA to ZZ.
func letters(n int) string {
	if n < 1 || n > 26*100 {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(rune('A'+(n-1)%26)), (n-1)/26+1)
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, r := range []struct {
		n int
		s string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= r.n; n -= r.n {
			b.WriteString(r.s)
		}
	}
	return b.String()
}
