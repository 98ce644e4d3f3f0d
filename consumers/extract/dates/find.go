package dates

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Order says how 03/04/2020 is read.
type Order uint8

// The orders.
const (
	DayFirst Order = iota
	MonthFirst
)

// The years from which a web page can be.
const (
	minYear = 1990
	maxYear = 2099
)

// Found is a date in a text.
type Found struct {
	Time       time.Time // in the zone that was written, else UTC
	Day        time.Time // the day as it was written, in any zone: midnight UTC
	Start, End int       // bytes of the text that were read
	HasClock   bool      // a time of day was stated
}

// Parse reads a text that should be a date.
func Parse(s string) (time.Time, bool) { return ParseIn(s, DayFirst) }

// ParseIn is Parse with the order of a language.
func ParseIn(s string, order Order) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if len(s) > 200 {
		return time.Time{}, false
	}
	if t, ok := unixTime(s); ok {
		return t, true
	}
	f, ok := Find(s, order)
	return f.Time, ok
}

// unixTime reads seconds or milliseconds since 1970.
func unixTime(s string) (time.Time, bool) {
	if len(s) != 10 && len(s) != 13 {
		return time.Time{}, false
	}
	var n int64
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return time.Time{}, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(s) == 13 {
		n /= 1000
	}
	t := time.Unix(n, 0).UTC()
	return t, t.Year() >= minYear && t.Year() <= maxYear
}

// All returns the full dates in s, at most max. s should be a text that is about a date.
func All(s string, order Order, max int) []Found { return all(s, order, max, false) }

// InText returns the full dates in running text, at most max. Numbers with dots between them are
// dates there only if they are unlikely to number a section or a version: see isNumbering.
func InText(s string, order Order, max int) []Found { return all(s, order, max, true) }

func all(s string, order Order, max int, running bool) []Found {
	var out []Found
	if !mayHold(s) && !HasOtherDigits(s) {
		return nil
	}
	tokens := scan(s, maxTokens)
	for i := 0; i < len(tokens) && len(out) < max; i++ {
		if tokens[i].kind != number && tokens[i].kind != word {
			continue
		}
		if i > 0 && tokens[i].kind == number && tokens[i-1].kind == mark && strings.Contains("./-", tokens[i-1].text) && i > 1 && tokens[i-2].kind == number {
			continue // inside a longer number
		}
		if r, ok := dateAt(tokens[i:], order); ok && !(running && isNumbering(tokens, i, r.day.used)) {
			out = append(out, r.on(s))
			i += r.day.used - 1
		}
	}
	return out
}

// isNumbering reports whether the used tokens from i on are numbers with dots that number a section
// or a version (4.2.10, 2023.1.12, v10.02.11, section 12.10.11) and are no date.
func isNumbering(t []token, i, used int) bool {
	if t[i].kind == number && t[i].digits == 8 {
		return isIdentifier(t, i, used)
	}
	if used == 5 && t[i].kind == number && t[i+1].text == t[i+3].text && isLonger(t, i+used, t[i+1].text) {
		return true // 2010-11-12-13
	}
	if used < 5 || t[i].kind != number || t[i+1].text != "." || t[i+3].text != "." {
		return false
	}
	first, middle, last := t[i], t[i+2], t[i+4]
	switch {
	case last.digits < 4 && first.digits < 4 && !introduced(t, i):
		return true // Debian 12.04.22
	case last.digits < 4 && (first.digits < 2 || middle.digits < 2 || last.digits < 2):
		return true // a date has a year of four digits, or two digits everywhere
	case i+used+1 < len(t) && t[i+used].text == "." && t[i+used+1].kind == number && t[i+used+1].start == t[i+used].end:
		return true // a fourth number
	}
	for k := i - 1; k >= 0 && k >= i-2; k-- {
		if t[k].kind == word {
			return numbers(t[k].text)
		}
	}
	return false
}

// isLonger reports whether a number with hyphens or strokes goes on at a token. A time of day may
// follow.
func isLonger(t []token, at int, sign string) bool {
	return (sign == "-" || sign == "/") && at+1 < len(t) && t[at].text == sign && t[at+1].kind == number && t[at+1].start == t[at].end &&
		(at+2 >= len(t) || t[at+2].text != ":")
}

// isIdentifier reports whether eight digits are part of a longer name: Gecko/20040216,
// 20050711.125305.
func isIdentifier(t []token, i, used int) bool {
	if i > 0 && t[i-1].kind != blank && t[i-1].text != "(" && t[i-1].text != ":" {
		return true
	}
	next := i + used
	return next+1 < len(t) && t[next].kind == mark && t[next+1].kind != blank
}

// introduced reports whether a date with a year of two digits is where dates usually are: at the
// beginning, after a colon or a comma, or after a small word.
func introduced(t []token, i int) bool {
	k := i - 1
	for k >= 0 && t[k].kind == blank {
		k--
	}
	if k < 0 {
		return true
	}
	switch t[k].text {
	case ":", ",", "(", "|", "•", "·", "–", "-", "on", "date", "dated", "of", "am", "vom", "den", "stand", "datum", "le", "du", "el", "del", "il", "dal",
		"от", "с", "дата", "dnia", "dne", "den.", "d.", "op":
		return true
	}
	return false
}

// numbers reports whether a word announces the number of a section or version.
func numbers(w string) bool {
	switch w {
	case "v", "ver", "version", "release", "rev", "revision", "section", "sec", "chapter", "appendix", "figure", "fig", "table",
		"kapitel", "abschnitt", "tabelle", "abbildung", "chapitre", "capítulo", "capitolo", "sección", "sezione",
		"версия", "версии", "раздел", "разделе", "глава", "главе", "таблица", "рисунок":
		return true
	}
	return false
}

// mayHold is a fast test that is false for most paragraphs: a full date has two numbers, or a long
// one.
func mayHold(s string) bool {
	groups, run := 0, 0
	for i := range len(s) {
		if c := s[i]; c < '0' || c > '9' {
			run = 0
			continue
		}
		if run++; run == 1 {
			groups++
		}
		if groups > 1 || run > 5 {
			return true
		}
	}
	return false
}

// HasOtherDigits reports whether s has a digit that is not ASCII: see digitOf.
func HasOtherDigits(s string) bool {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if digitOf(r) >= 0 {
			return true
		}
		i += size
	}
	return false
}

// maxTokens bounds how much of a text is read.
const maxTokens = 4000

// Find returns the first full date (day, month and year) in s.
func Find(s string, order Order) (Found, bool) {
	tokens := scan(s, maxTokens)
	for i := range tokens {
		if f, ok := dateAt(tokens[i:], order); ok {
			return f.on(s), true
		}
	}
	return Found{}, false
}

// day is a calendar day, with the number of tokens that were read for it.
type day struct {
	year, month, day int
	used             int
}

func (d day) valid() bool {
	if d.year < minYear || d.year > maxYear || d.month < 1 || d.month > 12 || d.day < 1 {
		return false
	}
	return d.day <= time.Date(d.year, time.Month(d.month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

type reading struct {
	day    day
	tokens []token
	clock  clock
}

func dateAt(t []token, order Order) (reading, bool) {
	for _, pattern := range []func([]token, Order) (day, bool){compact, yearFirst, numeric, dayMonthYear, monthDayYear, yearMonthDay, eastern, reign, vietnamese, persian} {
		d, ok := pattern(t, order)
		if d.year >= firstBuddhist {
			d.year -= buddhistEra
		}
		if ok && d.valid() {
			return reading{day: d, tokens: t, clock: clockAfter(t[d.used:])}, true
		}
	}
	return reading{}, false
}

func (r reading) on(s string) Found {
	c := r.clock
	zone := time.UTC
	if c.hasZone {
		zone = time.FixedZone("", c.zone)
	}
	last := r.tokens[r.day.used+c.used-1]
	return Found{
		Day:      time.Date(r.day.year, time.Month(r.day.month), r.day.day, 0, 0, 0, 0, time.UTC),
		Time:     time.Date(r.day.year, time.Month(r.day.month), r.day.day, c.hour, c.minute, c.second, 0, zone),
		Start:    r.tokens[0].start,
		End:      last.end,
		HasClock: c.used > 0,
	}
}
