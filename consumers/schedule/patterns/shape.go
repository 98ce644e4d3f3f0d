package patterns

import (
	"slices"
	"strings"
)

// Limits of a shape.
const (
	maxSegments = 6  // tokens of a path; a longer path ends with deepToken
	maxToken    = 40 // bytes of a token
	maxParams   = 6  // parameters of a shape; more become anyParams
)

// Tokens that stand for many segments or parameters.
const (
	anyToken    = "*" // an identifier, or any of a node's unproven children
	anyParams   = "?*"
	noParams    = "?"
	titleToken  = "~" // a title in words
	numberToken = "#"
	deepToken   = "…"
)

// Tokens cuts the path of a row key (":https/a/12?x=1") into the tokens of its shape: one for each
// segment, and as the last one the parameters ("?" if there are none). Segments that repeat, alone
// or in groups of two or three, become one token with a +.
func Tokens(path string) []string {
	path, query, _ := strings.Cut(afterScheme(path), "?")
	out := make([]string, 0, maxSegments+1)
	for s := range strings.SplitSeq(path, "/") {
		out = append(out, segment(s))
		if len(out) > 4*maxSegments {
			break
		}
	}
	out = fold(out)
	if len(out) > maxSegments {
		out = append(out[:maxSegments-1], deepToken)
	}
	return append(out, paramsToken(query))
}

// afterScheme returns a path without its scheme, port and first slash.
func afterScheme(path string) string {
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[i+1:]
	}
	return ""
}

// segment returns the token of one segment of a path; a suffix of up to five letters is kept.
func segment(s string) string {
	ext := ""
	if i := strings.LastIndexByte(s, '.'); i > 0 && len(s)-i <= 6 && letters(s[i+1:]) {
		s, ext = s[:i], strings.ToLower(s[i:])
	}
	switch {
	case s == "":
		return ext
	case identifier(s):
		return anyToken + ext
	case strings.Count(s, "-")+strings.Count(s, "_")+strings.Count(s, "+") >= 3 || len(s) > maxToken-8 || strings.Count(s, "%") > 2:
		return titleToken + ext
	}
	return numbersOut(s) + ext
}

// numbersOut replaces runs of digits by #.
func numbersOut(s string) string {
	var b strings.Builder
	in := false
	for i := range len(s) {
		if digit := s[i] >= '0' && s[i] <= '9'; digit {
			if !in {
				b.WriteString(numberToken)
			}
			in = true
			continue
		}
		in = false
		b.WriteByte(s[i])
	}
	return b.String()
}

// identifier reports whether a segment looks like a generated identifier: eight or more characters
// in which letters and digits alternate, or hexadecimal digits.
func identifier(s string) bool {
	turns, digits, hex := 0, 0, true
	for i := range len(s) {
		d := s[i] >= '0' && s[i] <= '9'
		if d {
			digits++
		}
		if i > 0 && d != (s[i-1] >= '0' && s[i-1] <= '9') && s[i] != '-' && s[i-1] != '-' {
			turns++
		}
		hex = hex && (d || s[i] >= 'a' && s[i] <= 'f' || s[i] >= 'A' && s[i] <= 'F' || s[i] == '-')
	}
	return len(s) >= 8 && digits > 0 && digits < len(s) && (turns >= 4 || hex && turns >= 2)
}

func letters(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return s != ""
}

// fold replaces repeated tokens by one: a/b/a/b becomes (a/b)+, #/#/# becomes #+.
func fold(list []string) []string {
	for period := 1; period <= 3; period++ {
		for i := 0; i+2*period <= len(list); i++ {
			times := 1
			for j := i + period; j+period <= len(list) && slices.Equal(list[i:i+period], list[j:j+period]); j += period {
				times++
			}
			if times < 2 || list[i] == "" {
				continue
			}
			one := strings.Join(list[i:i+period], "/")
			if period > 1 {
				one = "(" + one + ")"
			}
			list = slices.Replace(list, i, i+times*period, cut(one)+"+")
		}
	}
	for i := range list {
		list[i] = cut(list[i])
	}
	return list
}

func cut(s string) string { return s[:min(len(s), maxToken)] }

// paramsToken returns the sorted names of a query's parameters. The value stays if it is a short
// word (action=edit), else it becomes # for a number or *.
func paramsToken(query string) string {
	if query == "" {
		return noParams
	}
	var names []string
	for p := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(p, "=")
		names = append(names, numbersOut(name)+"="+valueToken(value))
		if len(names) > maxParams {
			return anyParams
		}
	}
	slices.Sort(names)
	t := "?" + strings.Join(slices.Compact(names), "&")
	if len(t) > 2*maxToken {
		return anyParams
	}
	return t
}

func valueToken(v string) string {
	switch {
	case v == "":
		return ""
	case len(v) <= 8 && letters(v):
		return v
	case numbersOut(v) == numberToken:
		return numberToken
	}
	return anyToken
}

// wild reports whether a token stands for many segments.
func wild(token string) bool {
	return token == deepToken || strings.HasPrefix(token, anyToken) || strings.HasPrefix(token, titleToken) ||
		strings.Contains(token, numberToken) || strings.HasSuffix(token, "+")
}
