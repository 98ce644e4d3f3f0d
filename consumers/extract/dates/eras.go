package dates

import (
	"strings"
	"time"
)

// The Buddhist era of Thailand is 543 years ahead. A year from 2533 (1990) on is of that era: no
// page is of the 26th century.
const (
	buddhistEra   = 543
	firstBuddhist = minYear + buddhistEra
)

// reigns are eras that count their years from one, by the year before the first.
var reigns = [...]struct {
	name   string
	before int
}{{"令和", 2018}, {"平成", 1988}, {"民國", 1911}, {"民国", 1911}}

// reign reads 令和3年3月4日 of Japan and 民國110年3月4日 of Taiwan. The first year may be written 元年.
func reign(t []token, _ Order) (day, bool) {
	if t[0].kind != word {
		return day{}, false
	}
	for _, r := range reigns {
		name, first := strings.CutSuffix(t[0].text, "元")
		if !strings.HasSuffix(name, r.name) {
			continue
		}
		i, year := 1, r.before+1
		if !first {
			if i = skipBlank(t, i); i >= len(t) || t[i].kind != number || t[i].digits > 3 {
				return day{}, false
			}
			year = r.before + t[i].value
			i++
		}
		m := unitAfter(t, i, "年")
		if m < 0 {
			return day{}, false
		}
		return easternDay(t, year, m)
	}
	return day{}, false
}

// vietnamese reads 4 tháng 3 năm 2021 and 4 tháng 3, 2021.
func vietnamese(t []token, _ Order) (day, bool) {
	if !isDay(t[0]) {
		return day{}, false
	}
	m := skipBlank(t, 1)
	if m >= len(t) || t[m].text != "tháng" {
		return day{}, false
	}
	if m = skipBlank(t, m+1); m >= len(t) || !isDay(t[m]) {
		return day{}, false
	}
	for y := m + 1; y < min(len(t), m+6); y++ {
		switch {
		case isYear(t[y]):
			return day{t[y].value, t[m].value, t[0].value, y + 1}, true
		case t[y].kind == number, t[y].kind == word && t[y].text != "năm":
			return day{}, false
		}
	}
	return day{}, false
}

// persian reads ۱۴ اسفند ۱۳۹۹ and, in Persian digits, ۱۳۹۹/۱۲/۱۴ of the calendar of Iran.
func persian(t []token, _ Order) (day, bool) {
	if t[0].kind != number {
		return day{}, false
	}
	if t[0].eastern && isPersianYear(t[0]) && len(t) > 4 && t[1].text == t[3].text && strings.Contains("/-", t[1].text) && isDay(t[2]) && isDay(t[4]) {
		return fromPersian(t[0].value, t[2].value, t[4].value, 5)
	}
	m := skipBlank(t, 1)
	if t[0].digits > 2 || m >= len(t) || persianMonth(t[m].text) == 0 {
		return day{}, false
	}
	y := skipBlank(t, m+1)
	if y < len(t) && (t[y].text == "ماه" || t[y].text == "،" || t[y].text == ",") {
		y = skipBlank(t, y+1)
	}
	if y >= len(t) || !isPersianYear(t[y]) {
		return day{}, false
	}
	return fromPersian(t[y].value, persianMonth(t[m].text), t[0].value, y+1)
}

func isPersianYear(t token) bool {
	return t.kind == number && t.digits == 4 && t.value >= 1369 && t.value <= 1478
}

func persianMonth(w string) int {
	for i, name := range [...]string{"فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی", "بهمن", "اسفند"} {
		if w == name {
			return i + 1
		}
	}
	return 0
}

// fromPersian returns the day of the common calendar, by the arithmetic calendar with 8 leap years
// in 33, which is right from 1343 to 1472 (1964 to 2093).
func fromPersian(year, month, d, used int) (day, bool) {
	if month < 1 || month > 12 || d < 1 || d > 31 || month > 6 && d > 30 {
		return day{}, false
	}
	at := time.Date(2021, time.March, 21+persianDays(year, month, d)-persianDays(1400, 1, 1), 0, 0, 0, 0, time.UTC)
	return day{at.Year(), int(at.Month()), at.Day(), used}, true
}

// persianDays counts the days from a fixed one.
func persianDays(year, month, d int) int {
	year += 1595
	days := 365*year + year/33*8 + (year%33+3)/4 + d
	if month < 7 {
		return days + (month-1)*31
	}
	return days + (month-7)*30 + 186
}
