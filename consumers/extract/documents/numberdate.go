package documents

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// showDate writes a date by the tokens of a section. A date in numbers alone is written as ISO 8601
// has it, because the order of day and month is not the same everywhere; so is one with the names
// of a language that is not known here. Times and dates with words stand as in the sheet.
func showDate(f float64, tokens []formatToken, section string, date1904 bool) string {
	t, ok := serialTime(f, date1904)
	if !ok {
		return strconv.FormatFloat(f, 'g', 15, 64)
	}
	minutesOf(tokens)
	if inNumbers(tokens) || named(tokens) && !isEnglish(section) {
		return serialDate(f, date1904)
	}
	var b strings.Builder
	twelve := has(tokens, "A")
	for i, token := range tokens {
		switch token.kind {
		case '0': // tenths of a second, behind the point
			if i > 0 && tokens[i-1].kind == '.' {
				b.WriteString("0")
			}
		case '[':
			b.WriteString(elapsed(f, token.text))
		case 'A':
			b.WriteString(halfOfDay(t, token.text))
		default:
			b.WriteString(datePart(t, token, twelve))
		}
	}
	return strings.TrimSpace(b.String())
}

// minutesOf turns months into minutes ('n') where they follow hours or stand before seconds.
func minutesOf(tokens []formatToken) {
	last := -1
	for i := range tokens {
		switch tokens[i].kind {
		case 'm':
			if last >= 0 && (tokens[last].kind == 'h' || tokens[last].kind == '[') && len(tokens[i].text) <= 2 {
				tokens[i].kind = 'n'
			}
			last = i
		case 's':
			if last >= 0 && tokens[last].kind == 'm' && len(tokens[last].text) <= 2 {
				tokens[last].kind = 'n'
			}
			last = i
		case 'y', 'd', 'h', '[':
			last = i
		}
	}
}

// inNumbers reports a whole date without words.
func inNumbers(tokens []formatToken) bool {
	return has(tokens, "y") && has(tokens, "m") && has(tokens, "d") && !named(tokens) && !has(tokens, "A")
}

// named reports whether names of months or of days, or other words are part of a date.
func named(tokens []formatToken) bool {
	for _, t := range tokens {
		if (t.kind == 'm' || t.kind == 'd') && len(t.text) > 2 {
			return true
		}
	}
	return false
}

// isEnglish reports whether a section asks for English names, or for none in particular. The
// language is the lower ten bits of a number in hexadecimal: [$-409].
func isEnglish(section string) bool {
	_, after, found := strings.Cut(section, "[$")
	if !found {
		return true
	}
	inside, _, _ := strings.Cut(after, "]")
	_, number, _ := strings.Cut(inside, "-")
	if strings.HasPrefix(strings.ToLower(number), "en") {
		return true
	}
	n, err := strconv.ParseUint(number, 16, 32)
	return number == "" || err == nil && n&0x3ff == 9
}

func datePart(t time.Time, token formatToken, twelve bool) string {
	n := len(token.text)
	switch token.kind {
	case 'y':
		if n > 2 {
			return t.Format("2006")
		}
		return t.Format("06")
	case 'm':
		return t.Format([]string{"1", "01", "Jan", "January", "January"}[min(n, 5)-1])[:monthLength(n, t)]
	case 'd':
		return t.Format([]string{"2", "02", "Mon", "Monday"}[min(n, 4)-1])
	case 'n':
		return t.Format([]string{"4", "04"}[min(n, 2)-1])
	case 's':
		return t.Format([]string{"5", "05"}[min(n, 2)-1])
	case 'h':
		hour := t.Hour()
		if twelve {
			hour = (hour+11)%12 + 1
		}
		if s := strconv.Itoa(hour); n < 2 || len(s) > 1 {
			return s
		}
		return "0" + strconv.Itoa(hour)
	}
	return token.text
}

// monthLength is how much of a month's name is shown: five letters m ask for its first letter.
func monthLength(n int, t time.Time) int {
	if n >= 5 {
		return 1
	}
	return len(t.Format([]string{"1", "01", "Jan", "January"}[n-1]))
}

func halfOfDay(t time.Time, form string) string {
	half := t.Format("PM")
	if form == "A/P" {
		return half[:1]
	}
	return half
}

// elapsed returns a time that runs on beyond a day, in hours, minutes or seconds.
func elapsed(f float64, unit string) string {
	seconds := math.Round(f * 86400)
	switch unit[0] {
	case 'h':
		seconds /= 3600
	case 'm':
		seconds /= 60
	}
	s := strconv.FormatFloat(math.Floor(seconds), 'f', 0, 64)
	return strings.Repeat("0", max(0, min(len(unit), 9)-len(s))) + s
}
