// Package plain turns text from a page into text that is safe to store: valid UTF-8 without control
// characters, white space collapsed, cut at a character.
//
// # Goals
//
// No text of a stranger disturbs what is behind: the log, the store, JSON, a terminal.
//
// # How it works
//
// This is the only place of the pipeline where control characters are removed: every text that
// the extractor returns went through Clean, Lines or a Builder.
//
// # Promises
//
// What comes out is valid UTF-8 without control characters, and stays as it is when it goes through
// again.
//
// # On failure
//
// There are no errors: bytes that are no UTF-8 are removed.
//
// # Limits
//
// Invisible format characters that reorder or split text (soft hyphen, zero-width space, byte order
// mark, bidirectional overrides) are removed too, because they break word search and can disguise a
// result. The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji need them.
package plain

import (
	"strings"
	"unicode/utf8"
)

// Clean returns s on one line: every run of white space becomes one space, with none at the ends.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	var b Builder
	b.WriteString(s)
	return b.String()
}

// isClean reports that Clean would change nothing. It recognises only ASCII, the common case.
func isClean(s string) bool {
	space := true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == ' ' && !space {
			space = true
			continue
		}
		if c <= ' ' || c >= 0x7f {
			return false
		}
		space = false
	}
	return !space || s == ""
}

// Lines cleans each line of s and joins those that are not empty with "\n".
func Lines(s string) string {
	var out strings.Builder
	for line := range strings.Lines(s) {
		if line = Clean(line); line == "" {
			continue
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(line)
	}
	return out.String()
}

// Cut returns the longest prefix of s that has at most max bytes and does not split a character.
func Cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// A Builder collects one line of clean text. The zero value is ready. It must not be copied after
// use.
type Builder struct {
	buf   []byte
	space bool // a space is due before the next character
}

// Tail returns the end of what was written: n bytes at most, from the beginning of a character on;
// nothing if a space is due.
func (b *Builder) Tail(n int) string {
	if b.space {
		return ""
	}
	tail := b.buf[max(0, len(b.buf)-n):]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return string(tail)
}

// WriteString appends s, cleaned.
func (b *Builder) WriteString(s string) {
	for i := 0; i < len(s); {
		if n := visible(s[i:]); n > 0 {
			b.pay()
			b.buf = append(b.buf, s[i:i+n]...)
			i += n
			continue
		}
		if c := s[i]; c < utf8.RuneSelf {
			i++
			b.ascii(c)
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		b.wide(r, s[i:i+size])
		i += size
	}
}

// visible returns the length of the run of ASCII characters at the beginning of s that stays as it
// is: visible ones, with single spaces between them.
func visible(s string) int {
	n := 0
	for n < len(s) {
		switch {
		case isVisible(s[n]):
			n++
		case s[n] == ' ' && n > 0 && n+1 < len(s) && isVisible(s[n+1]):
			n += 2
		default:
			return n
		}
	}
	return n
}

func isVisible(c byte) bool { return ' ' < c && c < 0x7f }

func (b *Builder) ascii(c byte) {
	switch {
	case c == ' ' || '\t' <= c && c <= '\r':
		b.space = len(b.buf) > 0
	case c < ' ' || c == 0x7f:
	default:
		b.pay()
		b.buf = append(b.buf, c)
	}
}

func (b *Builder) wide(r rune, raw string) {
	switch {
	case isSpace(r):
		b.space = len(b.buf) > 0
	case isDropped(r) || r == utf8.RuneError && len(raw) == 1:
	default:
		b.pay()
		b.buf = append(b.buf, raw...)
	}
}

func (b *Builder) pay() {
	if b.space {
		b.buf = append(b.buf, ' ')
		b.space = false
	}
}

// Space separates what comes next from what was written, by a space.
func (b *Builder) Space() { b.space = len(b.buf) > 0 }

// Len returns the number of bytes written so far.
func (b *Builder) Len() int { return len(b.buf) }

// String returns the text. The Builder may be used further.
func (b *Builder) String() string { return string(b.buf) }

// Bytes returns the text without copying; it is valid until the next call.
func (b *Builder) Bytes() []byte { return b.buf }

// Reset empties the Builder and keeps its memory.
func (b *Builder) Reset() { b.buf, b.space = b.buf[:0], false }

func isSpace(r rune) bool {
	switch r {
	case 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return 0x2000 <= r && r <= 0x200a
}

func isDropped(r rune) bool {
	switch {
	case 0x80 <= r && r < 0xa0, r == 0xad: // C1 controls, soft hyphen
		return true
	case r == 0x200b, r == 0x200e, r == 0x200f, r == 0xfeff: // zero-width space, direction marks, byte order mark
		return true
	case 0x202a <= r && r <= 0x202e, 0x2060 <= r && r <= 0x206f: // overrides, isolates, invisible operators
		return true
	case 0xfdd0 <= r && r <= 0xfdef, r&0xfffe == 0xfffe: // noncharacters
		return true
	case 0xfff0 <= r && r <= 0xfffb: // specials: interlinear annotation
		return true
	}
	return false
}
