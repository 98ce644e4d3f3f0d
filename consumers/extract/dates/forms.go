package dates

import (
	"slices"
	"strings"
)

// The ways to write a day. Each function reads one of them at the first token; reigns, Vietnamese
// and Persian dates are in eras.go.

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
