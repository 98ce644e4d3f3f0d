package dates

import (
	"strings"
	"unicode/utf8"
)

// A clock is a time of day, with the number of tokens that were read for it; 0 if there is none.
type clock struct {
	hour, minute, second int
	zone                 int // seconds east of UTC
	hasZone              bool
	used                 int
}

// clockAfter reads a time of day after a date: 10:15, T10:15:30.123+02:00, at 9:05 pm. 10.15 Uhr is
// not read.
func clockAfter(t []token) clock {
	for i := 0; i < min(len(t), 6); i++ {
		k := t[i]
		switch {
		case k.kind == number:
			c, ok := clockAt(t[i:])
			if !ok {
				return clock{}
			}
			c.used += i
			return c
		case k.kind == blank, k.kind == mark && strings.Contains(",-–|.(", k.text):
		case k.kind == word && utf8.RuneCountInString(k.text) <= 4:
		default:
			return clock{}
		}
	}
	return clock{}
}

func clockAt(t []token) (clock, bool) {
	if c, ok := compactClock(t); ok {
		return c, true
	}
	if len(t) < 3 || t[0].digits > 2 || t[0].value > 23 || !isColon(t[1]) || t[2].kind != number || t[2].digits != 2 || t[2].value > 59 {
		return clock{}, false
	}
	c := clock{hour: t[0].value, minute: t[2].value, used: 3}
	if len(t) >= 5 && isColon(t[3]) && t[4].kind == number && t[4].digits == 2 && t[4].value < 60 {
		c.second, c.used = t[4].value, 5
		if len(t) >= 7 && t[5].text == "." && t[6].kind == number {
			c.used = 7
		}
	}
	c.halfDay(t)
	c.zoneAt(t)
	return c, true
}

// compactClock reads the 1015 and 101530 of 20200307T101530.
func compactClock(t []token) (clock, bool) {
	v := t[0].value
	switch t[0].digits {
	case 4:
		v *= 100
	case 6:
	default:
		return clock{}, false
	}
	c := clock{hour: v / 10000, minute: v / 100 % 100, second: v % 100, used: 1}
	if c.hour > 23 || c.minute > 59 || c.second > 59 {
		return clock{}, false
	}
	c.zoneAt(t)
	return c, true
}

// halfDay applies am and pm.
func (c *clock) halfDay(t []token) {
	i := skipBlank(t, c.used)
	if i >= len(t) || t[i].kind != word {
		return
	}
	switch t[i].text {
	case "pm", "p":
		if c.hour < 12 {
			c.hour += 12
		}
	case "am", "a":
		if c.hour == 12 {
			c.hour = 0
		}
	default:
		return
	}
	c.used = i + 1
}

// zoneAt reads Z, GMT, UTC, +02:00, -0500 and the American names of zones.
func (c *clock) zoneAt(t []token) {
	i := skipBlank(t, c.used)
	if i >= len(t) {
		return
	}
	switch t[i].text {
	case "z", "gmt", "utc":
		c.zone, c.hasZone, c.used = 0, true, i+1
	case "est", "cdt":
		c.zone, c.hasZone, c.used = -5*3600, true, i+1
	case "edt":
		c.zone, c.hasZone, c.used = -4*3600, true, i+1
	case "pst":
		c.zone, c.hasZone, c.used = -8*3600, true, i+1
	case "pdt", "mst":
		c.zone, c.hasZone, c.used = -7*3600, true, i+1
	case "+", "-":
		c.offset(t, i)
	}
}

func (c *clock) offset(t []token, i int) {
	if i+1 >= len(t) || t[i+1].kind != number {
		return
	}
	n, used := t[i+1].value, i+2
	switch {
	case t[i+1].digits == 4:
		n = n/100*60 + n%100
	case t[i+1].digits <= 2:
		n *= 60
		if i+3 < len(t) && isColon(t[i+2]) && t[i+3].kind == number && t[i+3].digits == 2 {
			n += t[i+3].value
			used = i + 4
		}
	default:
		return
	}
	if n > 14*60 {
		return
	}
	if t[i].text == "-" {
		n = -n
	}
	c.zone, c.hasZone, c.used = n*60, true, used
}

func isColon(t token) bool { return t.kind == mark && t.text == ":" }
