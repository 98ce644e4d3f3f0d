package tree

import (
	"strings"

	"golang.org/x/net/html"
)

// raw returns the content of an element that is no markup, up to its end tag; not ok if it has
// none.
func (z *tokenizer) raw() (t html.Token, ok bool) {
	start := z.at
	var end int
	switch z.rawTag {
	case "plaintext":
		end = z.toEnd()
	case "script":
		end = z.script()
	default:
		if end = z.rawEnd(start); end < 0 {
			end = z.toEnd()
		}
	}
	escaped := z.rawTag == "textarea" || z.rawTag == "title"
	if z.at, z.rawTag = end, ""; end == start {
		return t, false
	}
	data := z.withoutNUL(z.s[start:end])
	if escaped {
		data = unescape(data)
	}
	return html.Token{Type: html.TextToken, Data: data}, true
}

func (z *tokenizer) toEnd() int {
	z.ended = true
	return len(z.s)
}

// rawEnd returns where the next end tag of the raw element begins; -1 if there is none.
func (z *tokenizer) rawEnd(from int) int {
	for {
		i := strings.IndexByte(z.s[from:], '<')
		if i < 0 {
			return -1
		}
		if from += i; z.endsRaw(from) {
			return from
		}
		from++
	}
}

// endsRaw reports whether the end tag of the raw element begins at i.
func (z *tokenizer) endsRaw(i int) bool {
	n := i + 2 + len(z.rawTag)
	if n >= len(z.s) || z.s[i] != '<' || z.s[i+1] != '/' {
		return false
	}
	for k := range len(z.rawTag) {
		if z.s[i+2+k]|0x20 != z.rawTag[k] || !isLetter(z.s[i+2+k]) {
			return false
		}
	}
	c := z.s[n]
	return c == '>' || c == '/' || isSpace(c)
}

// script returns where the content of a script ends. Only a script that looks like a comment needs
// the states in which an end tag does not count.
func (z *tokenizer) script() int {
	for i := z.at; ; i++ {
		k := strings.IndexByte(z.s[i:], '<')
		if k < 0 {
			return z.toEnd()
		}
		if i += k; z.endsRaw(i) {
			return i
		}
		if strings.HasPrefix(z.s[i:], "<!--") {
			return z.escapedScript(i + len("<!--"))
		}
	}
}

// The states of a script (HTML standard, 13.2.5.15 to 32): of the script itself, in a comment, and
// in a script in a comment. One or two dashes were read before the states named so.
const (
	scriptData = iota
	scriptLess
	scriptBang
	scriptBangDash
	escaped
	escapedDash
	escapedDashDash
	escapedLess
	twice
	twiceDash
	twiceDashDash
	twiceLess
)

// escapedScript is script from behind the first <!--.
func (z *tokenizer) escapedScript(i int) int {
	state := escapedDashDash
	for i < len(z.s) {
		c := z.s[i]
		switch state {
		case scriptLess, escapedLess:
			if c == '/' && z.endsRaw(i-1) {
				return i - 1
			}
		case twiceLess:
			if c == '/' && z.endsRaw(i-1) {
				i += len("/script>")
				state = escaped
				continue
			}
		}
		var consumed int
		state, consumed = z.scriptState(state, c, i)
		i += consumed
	}
	return z.toEnd()
}

// scriptState returns the state after the byte c at i, and how many bytes were consumed.
func (z *tokenizer) scriptState(state int, c byte, i int) (next, consumed int) {
	switch state {
	case scriptData:
		if c == '<' {
			return scriptLess, 1
		}
		return scriptData, 1
	case scriptLess:
		return z.step(c == '!', scriptBang, c == '/', scriptData)
	case scriptBang:
		return z.step(c == '-', scriptBangDash, false, scriptData)
	case scriptBangDash:
		return z.step(c == '-', escapedDashDash, false, scriptData)
	case escaped, escapedDash, escapedDashDash:
		return dashes(c, state, escaped), 1
	case escapedLess:
		return z.inComment(c, i)
	case twice, twiceDash, twiceDashDash:
		return dashes(c, state, twice), 1
	}
	return z.step(false, 0, c == '/', twice) // twiceLess
}

// step goes to a state if its byte was read; else to the other state, with the byte if that is
// consumed.
func (z *tokenizer) step(is bool, state int, consumed bool, other int) (next, n int) {
	switch {
	case is:
		return state, 1
	case consumed:
		return other, 1
	}
	return other, 0
}

// dashes returns the state after a byte in a comment, whose states begin with first.
func dashes(c byte, state, first int) int {
	switch {
	case c == '-':
		return min(state+1, first+2)
	case c == '<':
		return first + 3
	case c == '>' && state == first+2:
		return scriptData
	}
	return first
}

// inComment returns the state after < and c in a comment: <script begins another script.
func (z *tokenizer) inComment(c byte, i int) (next, consumed int) {
	if c == '/' {
		return escaped, 1
	}
	if !isLetter(c) {
		return scriptData, 0
	}
	for k := range len("script") {
		if i+k >= len(z.s) {
			return escaped, k
		}
		if z.s[i+k] != "script"[k] && z.s[i+k] != "SCRIPT"[k] {
			return escaped, k
		}
	}
	n := len("script")
	if i+n < len(z.s) {
		if c := z.s[i+n]; c == '>' || c == '/' || isSpace(c) {
			return twice, n + 1
		}
	}
	return escaped, n
}
