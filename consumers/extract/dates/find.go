package dates

import (
	"slices"
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

// compact reads 20200307, alone or followed by a time (20200307T1015).
func compact(t []token, _ Order) (day, bool) {
	if t[0].kind != number || t[0].digits != 8 {
		return day{}, false
	}
	v := t[0].value
	return day{v / 10000, v / 100 % 100, v % 100, 1}, true
}

// yearFirst reads 2020-03-07, 2020/3/7, 2020.03.07.
func yearFirst(t []token, _ Order) (day, bool) {
	if !like(t, "4-n-n") {
		return day{}, false
	}
	return day{t[0].value, t[2].value, t[4].value, 5}, true
}

// numeric reads 7.3.2020, 03/07/2020, 7-3-20.
func numeric(t []token, order Order) (day, bool) {
	if !like(t, "n-n-4") && !like(t, "n-n-2") || t[1].text != t[3].text {
		return day{}, false
	}
	year := t[4].value
	if t[4].digits == 2 {
		if t[1].text == "-" {
			return day{}, false
		}
		year += 2000
	}
	first, second := t[0].value, t[2].value
	monthFirst := order == MonthFirst && t[1].text != "."
	if first > 12 || !monthFirst && second <= 12 {
		return day{year, second, first, 5}, true
	}
	return day{year, first, second, 5}, true
}

// dayMonthYear reads 7 March 2020, 7. März 2020, 7 de marzo de 2020, 7th of March, 2020,
// 07-Mar-2020, 7 มี.ค. 2563.
func dayMonthYear(t []token, _ Order) (day, bool) {
	if t[0].kind != number || t[0].digits > 2 {
		return day{}, false
	}
	m, number, next := monthFrom(t, 1)
	if m < 0 {
		return day{}, false
	}
	y := skipTo(t, next, isYear)
	if y < 0 {
		return day{}, false
	}
	return day{t[y].value, number, t[0].value, y + 1}, true
}

// monthFrom returns the index of the name of a month from i on, its number, and the index after it;
// -1 if something else comes first.
func monthFrom(t []token, i int) (at, number, next int) {
	at = skipTo(t, i, func(k token) bool { return k.kind == word })
	if at < 0 {
		return -1, 0, 0
	}
	for at < len(t) && t[at].kind == word {
		if number = month(t[at].text); number > 0 {
			return at, number, at + 1
		}
		if at+2 < len(t) && t[at+1].text == "." && t[at+2].kind == word { // Thai: มี.ค.
			if number = month(t[at].text + "." + t[at+2].text); number > 0 {
				return at, number, at + 3
			}
		}
		if !isFiller(t[at].text) {
			break
		}
		from := at + 1
		if at = skipTo(t, from, func(k token) bool { return k.kind == word }); at < 0 || at-i > 4 {
			break
		}
	}
	return -1, 0, 0
}

// monthDayYear reads March 7, 2020 and Mar. 7th 2020.
func monthDayYear(t []token, _ Order) (day, bool) {
	if t[0].kind != word || month(t[0].text) == 0 {
		return day{}, false
	}
	d := skipTo(t, 1, isDay)
	if d < 0 {
		return day{}, false
	}
	y := skipTo(t, d+1, isYear)
	if y < 0 {
		return day{}, false
	}
	return day{t[y].value, month(t[0].text), t[d].value, y + 1}, true
}

func isDay(k token) bool { return k.kind == number && k.digits <= 2 }

// yearMonthDay reads 2020. március 7. and 2020 March 7.
func yearMonthDay(t []token, _ Order) (day, bool) {
	if !isYear(t[0]) {
		return day{}, false
	}
	m, number, next := monthFrom(t, 1)
	if m < 0 {
		return day{}, false
	}
	d := skipBlank(t, next)
	if d >= len(t) || !isDay(t[d]) {
		return day{}, false
	}
	return day{t[0].value, number, t[d].value, d + 1}, true
}

// eastern reads 2020年3月7日 and 2020년 3월 7일.
func eastern(t []token, _ Order) (day, bool) {
	if !isYear(t[0]) {
		return day{}, false
	}
	m := unitAfter(t, 1, "年", "년")
	if m < 0 {
		return day{}, false
	}
	return easternDay(t, t[0].value, m)
}

// easternDay reads the day of a month whose number is at m.
func easternDay(t []token, year, m int) (day, bool) {
	d := unitAfter(t, m+1, "月", "월")
	if d < 0 {
		return day{}, false
	}
	used := d + 1
	if used < len(t) && (strings.HasPrefix(t[used].text, "日") || strings.HasPrefix(t[used].text, "일") || strings.HasPrefix(t[used].text, "号")) {
		used++
	}
	return day{year, t[m].value, t[d].value, used}, true
}

// unitAfter expects one of the units at i, and returns the index of the number after it; -1 if
// there is none.
func unitAfter(t []token, i int, units ...string) int {
	i = skipBlank(t, i)
	if i >= len(t) || t[i].kind != word {
		return -1
	}
	if !slices.Contains(units, t[i].text) {
		return -1
	}
	if i = skipBlank(t, i+1); i < len(t) && t[i].kind == number && t[i].digits <= 2 {
		return i
	}
	return -1
}

func isYear(t token) bool {
	return t.kind == number && t.digits == 4 && (t.value >= minYear && t.value <= maxYear || t.value >= firstBuddhist && t.value <= maxYear+buddhistEra)
}

// like compares tokens with a pattern: 4 and 2 are numbers with so many digits, n is one with at
// most two, - is a separator.
func like(t []token, pattern string) bool {
	if len(t) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		k := t[i]
		switch pattern[i] {
		case '4':
			if !isYear(k) {
				return false
			}
		case '2':
			if k.kind != number || k.digits != 2 {
				return false
			}
		case 'n':
			if k.kind != number || k.digits > 2 {
				return false
			}
		case '-':
			if k.kind != mark || k.text != "-" && k.text != "/" && k.text != "." {
				return false
			}
		}
	}
	return true
}

// skipTo returns the index of the first token from i on that is wanted. It skips spaces, marks and
// the small words inside dates; -1 if something else comes first.
func skipTo(t []token, i int, wanted func(token) bool) int {
	for end := min(len(t), i+7); i < end; i++ {
		switch {
		case wanted(t[i]):
			return i
		case t[i].kind == blank, t[i].kind == mark && strings.Contains(".,-/'", t[i].text):
		case t[i].kind == word && isFiller(t[i].text):
		default:
			return -1
		}
	}
	return -1
}

func skipBlank(t []token, i int) int {
	for i < len(t) && t[i].kind == blank {
		i++
	}
	return i
}

func isFiller(w string) bool {
	switch w {
	case "st", "nd", "rd", "th", "of", "de", "del", "do", "di", "le", "er", "г", "года", "a", "e", "º", "ª", "den", "the", "พ", "ศ":
		return true
	}
	return false
}

// runeLen returns the length in bytes of the first rune of s.
func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}
