// Package columns keeps line comments within 100 columns, a tab counted as four.
//
// # Goals
//
// One width everywhere, without work by hand.
//
// # How it works
//
// A paragraph is a run of comment lines with one indentation; an item of a list ("- ") is one of
// its own. A paragraph with a line that is too long is wrapped anew, the others stay as they are.
//
// # Promises
//
// Only white space of comments changes. What was wrapped once stays as it is.
//
// # On failure
//
// There are no errors: a word longer than a line stands on a line of its own.
//
// # Limits
//
// Code, tables, headings, directives and comments behind code are left alone.
package columns

import (
	"strings"
	"unicode/utf8"
)

// Most is the width of a line.
const Most = 100

// Long returns the numbers, from 1, of the lines that Wrap would break.
func Long(src string) []int {
	var out []int
	paragraphs(strings.Split(src, "\n"), func(from int, lines []string, prose bool) {
		for i, line := range lines {
			if prose && width(line) > Most {
				out = append(out, from+i+1)
			}
		}
	})
	return out
}

// Wrap returns a source whose paragraphs with long lines are wrapped anew.
func Wrap(src string) string {
	var out []string
	paragraphs(strings.Split(src, "\n"), func(_ int, lines []string, prose bool) {
		if prose && anyLong(lines) {
			lines = fill(lines)
		}
		out = append(out, lines...)
	})
	return strings.Join(out, "\n")
}

func anyLong(lines []string) bool {
	for _, line := range lines {
		if width(line) > Most {
			return true
		}
	}
	return false
}

// paragraphs calls fn for all lines in order, from is the number of the first one from 0. What is
// no prose comes line by line.
func paragraphs(lines []string, fn func(from int, lines []string, prose bool)) {
	for i := 0; i < len(lines); {
		indent, text, ok := comment(lines[i])
		j := i + 1
		prose := ok && (plain(text) || item(text))
		for prose && j < len(lines) {
			in, t, ok := comment(lines[j])
			if !ok || in != indent || item(t) || !plain(t) && !(item(text) && deeper(t, text)) {
				break
			}
			j++
		}
		fn(i, lines[i:j], prose)
		i = j
	}
}

// comment splits a line that is nothing but a comment.
func comment(line string) (indent, text string, ok bool) {
	trimmed := strings.TrimLeft(line, "\t")
	text, ok = strings.CutPrefix(trimmed, "//")
	return line[:len(line)-len(trimmed)], text, ok
}

// plain reports whether the text of a comment is prose at the margin.
func plain(text string) bool {
	return len(text) > 1 && text[0] == ' ' && !strings.ContainsRune(" \t#|", rune(text[1])) && strings.Contains(text[1:], " ")
}

// item reports whether a text is the first line of an item of a list.
func item(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " "), "- ") }

// deeper reports whether a text continues an item.
func deeper(text, item string) bool {
	return strings.TrimSpace(text) != "" && lead(text) == lead(item)+2
}

func lead(text string) int { return len(text) - len(strings.TrimLeft(text, " ")) }

// fill sets a paragraph in lines that are not too long, if its words are not.
func fill(lines []string) []string {
	indent, text, _ := comment(lines[0])
	prefix := indent + "//" + strings.Repeat(" ", lead(text))
	rest := prefix
	if item(text) {
		rest += "  "
	}
	var out []string
	line := ""
	for _, l := range lines {
		_, t, _ := comment(l)
		for _, w := range strings.Fields(t) {
			switch {
			case line == "":
				line = prefix + w
			case width(line)+1+utf8.RuneCountInString(w) > Most:
				out = append(out, line)
				line = rest + w
			default:
				line += " " + w
			}
		}
	}
	return append(out, line)
}

func width(line string) int { return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t") }
