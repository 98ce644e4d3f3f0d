package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"millrace/cmd/settings"
)

// answerSection is the section of help for a command's own options.
func answerSection(names ...string) settings.Section {
	return settings.Section{Title: "What is shown", Names: names}
}

// passOn prints an answer of the API as it came.
func (c *output) passOn(ctx context.Context, a *client, path string, q url.Values) error {
	raw, err := a.raw(ctx, path, q)
	if err != nil {
		return err
	}
	_, err = c.stdout.Write(escaped(raw))
	return err
}

// escaped writes what could steer a terminal as \u escapes: in JSON the text stays the same, and
// such characters stand nowhere but in strings.
func escaped(json []byte) []byte {
	var out []byte
	for i := 0; i < len(json); {
		r, n := utf8.DecodeRune(json[i:])
		switch {
		case r == '\n' || !steers(r):
			out = append(out, json[i:i+n]...)
		default:
			out = fmt.Appendf(out, "\\u%04x", r) // all of them are below U+10000
		}
		i += n
	}
	return out
}

// printable makes text from the web safe to show on a terminal: one line with
// single blanks, and only what is visible.
func printable(s string) string { return strings.Join(strings.Fields(visible(s)), " ") }

// visible takes out what steers.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case steers(r):
			return -1
		}
		return r
	}, s)
}

// steers reports whether a terminal or a reader's eye would follow a character instead of showing
// it: it moves the cursor, recolours, breaks the line, or turns the direction of writing.
func steers(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// count writes a number with a comma at every thousand.
func count(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a number of things.
func plural(n int64, thing string) string { return plural2(n, thing, thing+"s") }

// plural2 is plural for words whose plural has more than an s.
func plural2(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + more
}

// seconds writes an age or a rest of time.
func seconds(s float64) string {
	switch d := time.Duration(s * float64(time.Second)); {
	case d == 0:
		return "0 s"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", s)
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", s)
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	default:
		return fmt.Sprintf("%.0f days", d.Hours()/24)
	}
}

// rate writes a number of things per second.
func rate(perSecond float64) string {
	switch {
	case perSecond >= 100:
		return count(int64(perSecond))
	case perSecond >= 1:
		return fmt.Sprintf("%.1f", perSecond)
	}
	return fmt.Sprintf("%.2g", perSecond)
}
