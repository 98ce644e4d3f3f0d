package documents

import (
	"bytes"
	"context"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// rtf reads Rich Text Format (specification 1.9.1): groups in braces, control words, and text in a
// code page or in Unicode.
//
// It is large because the format has many switches, and a method for each family of control words.
type rtf struct {
	*writer
	body  []byte
	at    int
	group rtfGroup
	stack []rtfGroup
	deep  int  // groups nested deeper than the deepest that is kept
	over  bool // the outermost group has ended: what follows is no part of the text

	fonts   map[int]encoding.Encoding
	names   map[int]string    // of the fonts
	page    encoding.Encoding // of the document
	bytes   []byte            // text in the code page, not yet decoded
	skip    int               // characters to skip: they replace the Unicode one before
	units   []uint16          // UTF-16, not yet decoded
	info    strings.Builder
	stamp   [6]int // the current date
	target  string
	anchor  strings.Builder
	heading bool
}

// rtfGroup is the state that a brace saves and restores.
type rtfGroup struct {
	dest  string // "" is the text; "-" is not shown
	uc    int    // bytes to skip after a \u
	font  int
	codec encoding.Encoding
	signs string // the font, if it is one of signs
	aside bool   // a box or a note inside a paragraph
	star  bool   // after \*: the next word is a destination that may be ignored
	outer string // the destination around a text that is given twice: see \upr

	hidden, deleted bool // the text is not shown
}

func readRTF(ctx context.Context, o Options, body []byte) (*Document, error) {
	r := &rtf{writer: newWriter(o, "rtf"), body: body, fonts: map[int]encoding.Encoding{}, names: map[int]string{}, page: charmap.Windows1252}
	r.at = max(0, bytes.Index(body, []byte(`{\rtf`))) // before it there may be a mark of UTF-8
	r.group = rtfGroup{uc: 1}
	for n := 0; r.at < len(r.body) && !r.full && !r.over; n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			return nil, ErrHeavy
		}
		r.step()
	}
	r.flush()
	return r.finish(), nil
}

func (r *rtf) step() {
	c := r.body[r.at]
	r.at++
	switch c {
	case '{':
		r.flush()
		r.push()
	case '}':
		r.flush()
		r.pop()
	case '\\':
		r.control()
	case '\r', '\n', 0:
	default:
		r.char(c)
	}
}

func (r *rtf) push() {
	if len(r.stack) >= r.opts.MaxDepth {
		r.deep++
		return
	}
	r.stack = append(r.stack, r.group)
	r.group.star = false
	r.skip = 0
}

func (r *rtf) pop() {
	if r.deep > 0 {
		r.deep--
		return
	}
	if len(r.stack) == 0 {
		return
	}
	left, next := r.group.dest, r.stack[len(r.stack)-1]
	if r.group.aside && !next.aside {
		r.back()
	}
	r.stack = r.stack[:len(r.stack)-1]
	r.group, r.skip, r.over = next, 0, len(r.stack) == 0
	if left != next.dest {
		r.leave(left)
	}
}

// leave ends a destination and uses its text.
func (r *rtf) leave(dest string) {
	v := strings.TrimSpace(r.info.String())
	switch dest {
	case "title":
		first(&r.d.Title, v)
	case "author":
		first(&r.d.Author, v)
	case "creatim":
		r.d.Created = r.date()
	case "revtim":
		r.d.Modified = r.date()
	case "fldinst":
		if url := fieldLink(v); url != "" {
			r.target = url
			r.anchor.Reset()
		}
	case "fldrslt":
		if r.target != "" {
			r.link(r.target, r.anchor.String())
			r.target = ""
		}
	default:
		return
	}
	r.info.Reset()
}

func (r *rtf) date() time.Time {
	s := r.stamp
	r.stamp = [6]int{}
	if s[0] < 1980 || s[0] > 9999 || s[1] < 1 || s[1] > 12 || s[2] < 1 || s[2] > 31 {
		return time.Time{}
	}
	return time.Date(s[0], time.Month(s[1]), s[2], min(s[3], 23), min(s[4], 59), min(s[5], 59), 0, time.UTC)
}

// control reads a control word or symbol after a backslash.
func (r *rtf) control() {
	if r.at >= len(r.body) {
		return
	}
	c := r.body[r.at]
	if c|0x20 < 'a' || c|0x20 > 'z' {
		r.at++
		r.symbol(c)
		return
	}
	from := r.at
	for r.at < len(r.body) && r.at-from < 32 && r.body[r.at]|0x20 >= 'a' && r.body[r.at]|0x20 <= 'z' {
		r.at++
	}
	word := string(r.body[from:r.at])
	n, has := r.number()
	if r.at < len(r.body) && r.body[r.at] == ' ' {
		r.at++
	}
	r.word(word, n, has)
}

func (r *rtf) number() (n int, has bool) {
	sign, at := 1, r.at
	if at < len(r.body) && r.body[at] == '-' {
		sign, at = -1, at+1
	}
	for ; at < len(r.body) && at-r.at < 11 && r.body[at] >= '0' && r.body[at] <= '9'; at++ {
		n, has = n*10+int(r.body[at]-'0'), true
	}
	if has {
		r.at = at
	}
	return n * sign, has
}

func (r *rtf) symbol(c byte) {
	switch c {
	case '\'':
		if r.at+2 <= len(r.body) {
			hi, lo := hexDigit(r.body[r.at]), hexDigit(r.body[r.at+1])
			r.at += 2
			if hi >= 0 && lo >= 0 {
				r.char(byte(hi<<4 | lo))
			}
		}
	case '~':
		r.named(" ")
	case '_':
		r.named("\u2011")
	case '*':
		r.group.star = true
	case '\r', '\n':
		r.paragraph()
	case '\\', '{', '}':
		r.char(c)
	}
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// char adds a byte of the code page.
func (r *rtf) char(c byte) {
	if r.skip > 0 {
		r.skip--
		return
	}
	r.flushUnits()
	r.bytes = append(r.bytes, c)
	if len(r.bytes) > maxLine {
		r.flush()
	}
}

// flush decodes the collected bytes.
func (r *rtf) flush() {
	r.flushUnits()
	if len(r.bytes) == 0 {
		return
	}
	if r.group.signs != "" {
		var b strings.Builder
		for _, c := range r.bytes {
			b.WriteString(sign(r.group.signs, rune(c)))
		}
		r.bytes = r.bytes[:0]
		r.write(b.String())
		return
	}
	codec := r.group.codec
	if codec == nil {
		codec = r.page
	}
	s, err := codec.NewDecoder().Bytes(r.bytes)
	if err != nil {
		s = r.bytes
	}
	r.bytes = r.bytes[:0]
	r.write(string(s))
}

func (r *rtf) flushUnits() {
	if len(r.units) > 0 {
		s := string(utf16.Decode(r.units))
		r.units = r.units[:0]
		r.write(signs(r.group.signs, s))
	}
}

func (r *rtf) put(s string) {
	r.flush()
	r.write(s)
}

// named adds a character that has a control word or symbol, unless it stands for the one of Unicode
// before it.
func (r *rtf) named(s string) {
	if r.skip > 0 {
		r.skip--
		return
	}
	r.put(s)
}

// shown reports whether the text of the group is a part of the document's text.
func (r *rtf) shown() bool { return r.group.dest == "" || r.group.dest == "fldrslt" }

// unseen reports whether the text of the group is hidden, or deleted in a tracked change.
func (r *rtf) unseen() bool { return r.group.hidden || r.group.deleted }

// write adds text to the destination of the group.
func (r *rtf) write(s string) {
	if r.unseen() && r.shown() {
		return
	}
	switch r.group.dest {
	case "":
		r.text(s)
	case "fldrslt":
		r.text(s)
		if r.anchor.Len() < 400 {
			r.anchor.WriteString(s)
		}
	case "fonttbl":
		if name := r.names[r.group.font]; len(name) < 64 && len(r.names) < 10_000 {
			r.names[r.group.font] = name + s
		}
	case "title", "author", "fldinst":
		if r.info.Len() < 8<<10 {
			r.info.WriteString(s)
		}
	}
}

func (r *rtf) paragraph() {
	r.flush()
	if r.shown() && !r.unseen() {
		p := r.end()
		if r.heading && !r.group.aside {
			r.writer.heading(p)
		}
	}
}

func (r *rtf) unicode(n int) {
	if len(r.bytes) > 0 {
		r.flush()
	}
	switch {
	case n >= -0x8000 && n <= 0xffff:
		r.units = append(r.units, uint16(n))
	case n > 0 && n <= utf8.MaxRune: // the format has no such number; some programs write it
		r.units = utf16.AppendRune(r.units, rune(n))
	}
	r.skip = r.group.uc
	if len(r.units) > maxLine {
		r.flushUnits()
	}
}

// codePage returns the encoding of a Windows or Macintosh code page; Windows-1252 if it is unknown.
func codePage(n int) encoding.Encoding {
	switch n {
	case 437:
		return charmap.CodePage437
	case 850:
		return charmap.CodePage850
	case 855:
		return charmap.CodePage855
	case 858:
		return charmap.CodePage858
	case 862:
		return charmap.CodePage862
	case 865:
		return charmap.CodePage865
	case 852:
		return charmap.CodePage852
	case 866:
		return charmap.CodePage866
	case 874:
		return charmap.Windows874
	case 932:
		return japanese.ShiftJIS
	case 936:
		return simplifiedchinese.GBK
	case 949:
		return korean.EUCKR
	case 950:
		return traditionalchinese.Big5
	case 1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258:
		return []encoding.Encoding{charmap.Windows1250, charmap.Windows1251, nil, charmap.Windows1253, charmap.Windows1254,
			charmap.Windows1255, charmap.Windows1256, charmap.Windows1257, charmap.Windows1258}[n-1250]
	case 54936:
		return simplifiedchinese.GB18030
	case 65001:
		return unicode.UTF8
	case 10000:
		return charmap.Macintosh
	case 10007:
		return charmap.MacintoshCyrillic
	}
	return charmap.Windows1252
}
