package documents

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// builtinFormats are the codes behind the numbers of formats (ECMA-376, part 1, 18.8.30). 14 and 22
// are written as the reader's system writes dates, so they stay ISO dates here.
var builtinFormats = map[string]string{
	"1": "0", "2": "0.00", "3": "#,##0", "4": "#,##0.00", "5": `"$"#,##0_);\("$"#,##0\)`, "6": `"$"#,##0_);\("$"#,##0\)`,
	"7": `"$"#,##0.00_);\("$"#,##0.00\)`, "8": `"$"#,##0.00_);\("$"#,##0.00\)`, "9": "0%", "10": "0.00%", "11": "0.00E+00",
	"12": "# ?/?", "13": "# ??/??", "14": "yyyy-mm-dd", "15": "d-mmm-yy", "16": "d-mmm", "17": "mmm-yy",
	"18": "h:mm AM/PM", "19": "h:mm:ss AM/PM", "20": "h:mm", "21": "h:mm:ss", "22": "yyyy-mm-dd hh:mm",
	"37": `#,##0_);\(#,##0\)`, "38": `#,##0_);\(#,##0\)`, "39": `#,##0.00_);\(#,##0.00\)`, "40": `#,##0.00_);\(#,##0.00\)`,
	"45": "mm:ss", "46": "[h]:mm:ss", "47": "mm:ss.0", "48": "##0.0E+0",
}

// showNumber formats a number as a sheet shows it: by the code of a format, or by the number of a
// built-in one. What is no number is left as it is.
func showNumber(v, code string, date1904 bool) string {
	f, err := strconv.ParseFloat(v, 64)
	if err != nil {
		return v
	}
	if isDateID(code) {
		return serialDate(f, date1904)
	}
	if c, ok := builtinFormats[code]; ok {
		code = c
	}
	if _, err := strconv.Atoi(code); err == nil && strings.Trim(code, "0") != "" || code == "" || len(code) > 1000 {
		code = "General"
	}
	section, abs := sectionFor(strings.Split(withoutColons(code), "\x00"), f)
	tokens := formatTokens(section)
	value := f
	if abs {
		value = math.Abs(f)
	}
	switch {
	case isDate(tokens):
		return showDate(f, tokens, section, date1904)
	case !has(tokens, "0#?"):
		return showLiteral(value, tokens)
	}
	text := showDigits(math.Abs(value), tokens)
	if value < 0 && strings.ContainsAny(text, "123456789") {
		text = "-" + text
	}
	return strings.TrimSpace(text)
}

// isDateID reports the built-in formats of dates in East Asian systems, whose codes depend on the
// language of the reader.
func isDateID(code string) bool {
	id, err := strconv.Atoi(code)
	return err == nil && (id >= 27 && id <= 36 || id >= 50 && id <= 58)
}

// withoutColons replaces the semicolons between the sections of a code by NUL: those in quotes or
// behind a backslash stay.
func withoutColons(code string) string {
	b, quoted := []byte(code), false
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\\' && !quoted:
			i++
		case b[i] == '"':
			quoted = !quoted
		case b[i] == ';' && !quoted:
			b[i] = 0
		}
	}
	return string(b)
}

// sectionFor returns the section for a number, and whether its sign is left out there: the second
// one is for negative numbers, the third for zero, if the sections have no conditions of their own.
func sectionFor(sections []string, f float64) (section string, abs bool) {
	for i, s := range sections[:min(2, len(sections))] {
		if holds, ok := condition(s, f); ok && holds {
			return s, i == 1
		} else if ok && i+1 == len(sections) {
			return "General", false
		}
	}
	if _, ok := condition(sections[0], f); ok {
		return sections[min(len(sections), 3)-1], false
	}
	switch {
	case f < 0 && len(sections) > 1:
		return sections[1], true
	case f == 0 && len(sections) > 2:
		return sections[2], false
	}
	return sections[0], false
}

// condition reads a condition such as [>=100] at the beginning of a section; ok is false if there
// is none.
func condition(section string, f float64) (holds, ok bool) {
	for rest := section; strings.HasPrefix(rest, "["); {
		inside, after, closed := strings.Cut(rest[1:], "]")
		op := inside[:len(inside)-len(strings.TrimLeft(inside, "<>="))]
		if n, err := strconv.ParseFloat(inside[len(op):], 64); closed && op != "" && err == nil {
			switch op {
			case "<":
				return f < n, true
			case "<=":
				return f <= n, true
			case ">":
				return f > n, true
			case ">=":
				return f >= n, true
			case "<>":
				return f != n, true
			}
			return f == n, true
		}
		rest = after
	}
	return false, false
}

// formatToken is a part of a code: a kind, and its text. Kinds are '0', '#' and '?' for digits,
// '.', ',', '%', '/', 'E', the letters of dates ('y', 'm', 'd', 'h', 's', 'A' for am and pm, '['
// for a time that runs on), 'G' for General, '@', and '"' for text as it stands.
type formatToken struct {
	kind byte
	text string
}

// formatTokens takes a section apart.
func formatTokens(s string) []formatToken {
	var out []formatToken
	literal := func(t string) { out = append(out, formatToken{'"', t}) }
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch lower := c | 0x20; {
		case c == '"':
			text, _, _ := strings.Cut(s[i+1:], `"`)
			literal(text)
			i += len(text) + 1
		case c == '\\' && i+1 < len(s):
			i++
			literal(s[i : i+1])
		case c == '_' && i+1 < len(s): // as wide as the next sign
			i++
			literal(" ")
		case c == '*' && i+1 < len(s): // fills the cell with the next sign
			i++
		case c == '[':
			text, _, _ := strings.Cut(s[i+1:], "]")
			out = append(out, bracket(text)...)
			i += len(text) + 1
		case strings.HasPrefix(strings.ToLower(s[i:]), "general"):
			out = append(out, formatToken{'G', ""})
			i += len("general") - 1
		case strings.HasPrefix(strings.ToUpper(s[i:]), "AM/PM"):
			out = append(out, formatToken{'A', "AM/PM"})
			i += len("AM/PM") - 1
		case strings.HasPrefix(strings.ToUpper(s[i:]), "A/P"):
			out = append(out, formatToken{'A', "A/P"})
			i += len("A/P") - 1
		case lower == 'e' && i+1 < len(s) && (s[i+1] == '+' || s[i+1] == '-'):
			out = append(out, formatToken{'E', s[i+1 : i+2]})
			i++
		case strings.IndexByte("ymdhs", lower) >= 0:
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], string([]byte{lower, lower - 0x20})))
			out = append(out, formatToken{lower, s[i : i+n]})
			i += n - 1
		case strings.IndexByte("0#?.,%/@", c) >= 0:
			out = append(out, formatToken{c, s[i : i+1]})
		default:
			literal(s[i : i+1])
		}
	}
	return out
}

// bracket reads what stands in brackets: a running time ([h]), a currency ([$€-407]); colours and
// conditions are not shown.
func bracket(text string) []formatToken {
	if symbol, ok := strings.CutPrefix(text, "$"); ok {
		symbol, _, _ = strings.Cut(symbol, "-")
		return []formatToken{{'"', symbol}}
	}
	if text != "" && (strings.Trim(text, "hH") == "" || strings.Trim(text, "mM") == "" || strings.Trim(text, "sS") == "") {
		return []formatToken{{'[', strings.ToLower(text)}}
	}
	return nil
}

// has reports whether one of the tokens is of one of some kinds.
func has(tokens []formatToken, kinds string) bool {
	for _, t := range tokens {
		if strings.IndexByte(kinds, t.kind) >= 0 {
			return true
		}
	}
	return false
}

func isDate(tokens []formatToken) bool { return has(tokens, "ymdhs[") && !has(tokens, "G#?") }

// showLiteral shows a section without digits: General, or only words.
func showLiteral(f float64, tokens []formatToken) string {
	if len(tokens) == 0 {
		return "" // the sheet hides the number
	}
	var b strings.Builder
	for _, t := range tokens {
		switch t.kind {
		case 'G', '@':
			b.WriteString(strconv.FormatFloat(f, 'g', 15, 64))
		default:
			b.WriteString(t.text)
		}
	}
	return strings.TrimSpace(b.String())
}

// serialDate turns the number of a day into an ISO date, with its time of day if there is one.
func serialDate(f float64, date1904 bool) string {
	t, ok := serialTime(f, date1904)
	switch {
	case !ok:
		return strconv.FormatFloat(f, 'g', 15, 64)
	case f != math.Trunc(f):
		return t.Format("2006-01-02 15:04")
	}
	return t.Format(time.DateOnly)
}

// serialTime turns the number of a day into a time. Day 1 is 1 January 1900, and 29 February 1900
// counts as a day (18.17.4.1). ok is false outside of the years 1900 to 9999.
func serialTime(f float64, date1904 bool) (t time.Time, ok bool) {
	if !(f >= 0 && f <= 2_958_466) {
		return t, false
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if date1904 {
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	} else if f < 61 {
		epoch = epoch.AddDate(0, 0, 1)
	}
	days, part := math.Modf(f)
	return epoch.AddDate(0, 0, int(days)).Add(time.Duration(math.Round(part*86400)) * time.Second), true
}
