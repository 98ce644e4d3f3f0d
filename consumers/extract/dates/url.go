package dates

import (
	"strings"
	"time"
)

// InURL reads a date from a URL's path: /2024/05/17/, /2024-05-17-, /20240517/, /17-05-2024. A
// month without a day is no date.
func InURL(u string) (time.Time, bool) {
	if _, rest, ok := strings.Cut(u, "://"); ok {
		u = rest
	}
	_, path, ok := strings.Cut(u, "/")
	if !ok {
		return time.Time{}, false
	}
	path, _, _ = strings.Cut(path, "?")
	tokens := scan(path, 200)
	for i := range tokens {
		if i > 0 && tokens[i-1].kind == word { // an id like b20200307
			continue
		}
		for _, pattern := range []func([]token, Order) (day, bool){compact, yearFirst, yearMonthName, dayFirstYearLast} {
			if d, ok := pattern(tokens[i:], DayFirst); ok && d.valid() {
				return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC), true
			}
		}
	}
	return time.Time{}, false
}

// yearMonthName reads /2020/mar/07/.
func yearMonthName(t []token, _ Order) (day, bool) {
	if len(t) < 5 || !isYear(t[0]) || t[2].kind != word || t[4].kind != number || t[4].digits > 2 {
		return day{}, false
	}
	return day{t[0].value, month(t[2].text), t[4].value, 5}, true
}

// dayFirstYearLast reads /17-05-2024 and /17.05.2024.
func dayFirstYearLast(t []token, _ Order) (day, bool) {
	if !like(t, "n-n-4") || t[1].text != t[3].text || t[1].text == "/" {
		return day{}, false
	}
	return day{t[4].value, t[2].value, t[0].value, 5}, true
}
