package documents

import (
	"math"
	"strconv"
	"strings"
)

// maxDecimals bounds the digits that a format asks for: more carry nothing.
const maxDecimals = 30

// showDigits writes a number that is not negative by the placeholders of a section.
func showDigits(f float64, tokens []formatToken) string {
	if has(tokens, "E") {
		return showExponent(f, tokens)
	}
	if i := indexKind(tokens, '/'); i > 0 && isDigit(tokens, i-1) {
		return showFraction(f, tokens, i)
	}
	whole, decimals := splitPoint(tokens)
	for _, t := range tokens {
		if t.kind == '%' {
			f *= 100
		}
	}
	for _, part := range [][]formatToken{whole, decimals} {
		for i := lastDigit(part) + 1; i > 0 && i < len(part) && part[i].kind == ','; i++ {
			f /= 1000 // commas behind the digits
		}
	}
	n := min(countDigits(decimals), maxDecimals)
	digits, rest, _ := strings.Cut(strconv.FormatFloat(rounded(f, n), 'f', n, 64), ".")
	out := fillWhole(whole, digits)
	if i := indexKind(decimals, '.'); i < 0 {
		return out
	}
	return out + fillDecimals(decimals, rest)
}

// rounded rounds half away from zero, as sheets do.
func rounded(f float64, decimals int) float64 {
	scale := math.Pow10(decimals)
	if r := math.Round(f*scale) / scale; !math.IsInf(f*scale, 0) && math.Abs(f*scale) < 1e15 {
		return r
	}
	return f
}

// splitPoint parts the tokens before the decimal point from the rest, which begins with it.
func splitPoint(tokens []formatToken) (whole, decimals []formatToken) {
	if i := indexKind(tokens, '.'); i >= 0 {
		return tokens[:i], tokens[i:]
	}
	return tokens, nil
}

func indexKind(tokens []formatToken, kind byte) int {
	for i, t := range tokens {
		if t.kind == kind {
			return i
		}
	}
	return -1
}

func isDigit(tokens []formatToken, i int) bool {
	return i >= 0 && i < len(tokens) && strings.IndexByte("0#?", tokens[i].kind) >= 0
}

func lastDigit(tokens []formatToken) int {
	for i := len(tokens) - 1; i >= 0; i-- {
		if isDigit(tokens, i) {
			return i
		}
	}
	return -1
}

func countDigits(tokens []formatToken) (n int) {
	for i := range tokens {
		if isDigit(tokens, i) {
			n++
		}
	}
	return n
}

// fillWhole puts the digits before the point into their places, from the right; the first place
// takes all that are left. A comma between places groups by three.
func fillWhole(tokens []formatToken, digits string) string {
	digits = strings.TrimLeft(digits, "0")
	first, last := -1, lastDigit(tokens)
	grouped := false
	for i := range tokens {
		if isDigit(tokens, i) && first < 0 {
			first = i
		}
		grouped = grouped || tokens[i].kind == ',' && first >= 0 && i < last
	}
	out, written := "", 0
	put := func(c string) {
		if grouped && written > 0 && written%3 == 0 {
			c += ","
		}
		out, written = c+out, written+1
	}
	for i := len(tokens) - 1; i >= 0; i-- {
		switch t := tokens[i]; {
		case t.kind == ',':
		case !isDigit(tokens, i):
			out = t.text + out
		case digits != "":
			put(digits[len(digits)-1:])
			digits = digits[:len(digits)-1]
			for ; i == first && digits != ""; digits = digits[:len(digits)-1] {
				put(digits[len(digits)-1:])
			}
		case t.kind == '0':
			put("0")
		case t.kind == '?':
			out = " " + out
		}
	}
	if first < 0 {
		out += digits
	}
	return out
}

// fillDecimals puts the digits behind the point into their places; zeros at the end stand only
// where the place is 0.
func fillDecimals(tokens []formatToken, digits string) string {
	significant := len(strings.TrimRight(digits, "0"))
	out, at := "", 0
	for i, t := range tokens {
		switch {
		case !isDigit(tokens, i):
			if t.kind != ',' {
				out += t.text
			}
			continue
		case at < len(digits) && (at < significant || t.kind == '0'):
			out += digits[at : at+1]
		case t.kind == '?':
			out += " "
		}
		at++
	}
	return out
}

// showExponent writes a number in scientific form: 0.00E+00.
func showExponent(f float64, tokens []formatToken) string {
	e := indexKind(tokens, 'E')
	whole, decimals := splitPoint(tokens[:e])
	n := min(countDigits(decimals), maxDecimals)
	step := max(countDigits(whole), 1)
	power := 0
	if f > 0 && !math.IsInf(f, 0) {
		power = int(math.Floor(math.Log10(f)/float64(step))) * step
		if rounded(f/math.Pow10(power), n) >= math.Pow10(step) {
			power += step
		}
	}
	digits, rest, _ := strings.Cut(strconv.FormatFloat(rounded(f/math.Pow10(power), n), 'f', n, 64), ".")
	out := fillWhole(whole, digits) + fillDecimals(decimals, rest) + "E"
	switch {
	case power < 0:
		out += "-"
	case tokens[e].text == "+":
		out += "+"
	}
	return out + fillWhole(tokens[e+1:], strconv.Itoa(max(power, -power)))
}

// showFraction writes a number as a whole and a fraction: 2 1/2. slash is the place of the sign.
func showFraction(f float64, tokens []formatToken, slash int) string {
	from := slash
	for isDigit(tokens, from-1) {
		from--
	}
	to, fixed := slash+1, ""
	for ; to < len(tokens) && (isDigit(tokens, to) || isNumeral(tokens[to])); to++ {
		fixed += tokens[to].text
	}
	whole, part := math.Modf(f)
	mixed := countDigits(tokens[:from]) > 0
	if !mixed {
		whole, part = 0, f
	}
	above, below := nearestFraction(part, fixed)
	if mixed && above == below {
		whole, above = whole+1, 0
	}
	out := fillWhole(tokens[:from], strconv.FormatFloat(whole, 'f', 0, 64))
	if above != 0 || !mixed {
		out += strconv.Itoa(above) + "/" + strconv.Itoa(below)
	} else if strings.TrimSpace(out) == "" {
		out = "0"
	}
	for _, t := range tokens[to:] {
		out += t.text
	}
	return out
}

func isNumeral(t formatToken) bool {
	return t.kind == '"' && len(t.text) == 1 && t.text[0] >= '0' && t.text[0] <= '9'
}

// nearestFraction returns the fraction that is nearest to f: with the denominator that the format
// states, or with as many digits as it has places, at most three.
func nearestFraction(f float64, below string) (above, denominator int) {
	if !(f < 1e9) {
		return 0, 1
	}
	if n, err := strconv.Atoi(below); err == nil && n > 0 && n < 1e6 {
		return int(math.Round(f * float64(n))), n
	}
	best := math.Inf(1)
	for d := 1; d < int(math.Pow10(min(max(len(below), 1), 3))); d++ {
		n := math.Round(f * float64(d))
		if off := math.Abs(f - n/float64(d)); off < best-1e-12 {
			best, above, denominator = off, int(n), d
		}
	}
	return above, denominator
}
