package listing

import (
	"bytes"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
)

// prologBytes is how far the XML declaration is looked for: it should be the first thing, and
// stands behind blank lines and comments.
const prologBytes = 1 << 10

// xmlProlog is the XML declaration, with the encoding it names.
var xmlProlog = regexp.MustCompile(`<\?xml\s[^>]*?(?:encoding\s*=\s*["']\s*([^"'\s>]*)\s*["'][^>]*?)?\?>`)

// Text returns a body as UTF-8 with nothing in it that XML forbids, and without the XML
// declaration, which would be untrue now.
//
// The order of belief: byte order mark, bytes that can only be UTF-8, the header, the XML
// declaration. What is wanted are links and dates, ASCII in all but a few, so the last resort is
// windows-1252: it leaves ASCII alone and cannot fail.
func Text(body []byte, contentType string) []byte {
	text := decode(body, contentType)
	head := text[:min(len(text), prologBytes)]
	if at := xmlProlog.FindIndex(head); at != nil && len(bytes.TrimSpace(head[:at[0]])) == 0 {
		text = text[at[1]:]
	}
	return legal(text)
}

func decode(body []byte, contentType string) []byte {
	if e, rest := marked(body); e != nil {
		return convert(rest, e)
	}
	if utf8.Valid(body) && bytes.IndexByte(body, 0x1b) < 0 { // ESC: ISO-2022-JP is all ASCII
		return body
	}
	for _, label := range []string{headerCharset(contentType), prologCharset(body)} {
		if e := named(label); e != nil && e != unicode.UTF8 {
			return convert(body, e)
		}
	}
	if claimsUTF8(body, contentType) {
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return convert(body, charmap.Windows1252)
}

// marked knows an encoding from its byte order mark, and UTF-16 without one from the < that every
// XML document begins with.
func marked(body []byte) (encoding.Encoding, []byte) {
	little := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	big := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	for _, m := range []struct {
		begin string
		skip  int
		e     encoding.Encoding
	}{
		{"\xef\xbb\xbf", 3, unicode.UTF8}, {"\xff\xfe", 2, little}, {"\xfe\xff", 2, big}, {"<\x00", 0, little}, {"\x00<", 0, big},
	} {
		if bytes.HasPrefix(body, []byte(m.begin)) {
			return m.e, body[m.skip:]
		}
	}
	return nil, nil
}

func convert(body []byte, e encoding.Encoding) []byte {
	if e == unicode.UTF8 && utf8.Valid(body) {
		return body
	}
	out, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return out
}

func headerCharset(contentType string) string {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return params["charset"]
}

func prologCharset(body []byte) string {
	if m := xmlProlog.FindSubmatch(body[:min(len(body), prologBytes)]); m != nil {
		return string(m[1])
	}
	return ""
}

func claimsUTF8(body []byte, contentType string) bool {
	return named(headerCharset(contentType)) == unicode.UTF8 || named(prologCharset(body)) == unicode.UTF8
}

// named returns the encoding of a label, nil if there is none or it cannot be believed: who could
// read a label in ASCII does not read UTF-16.
func named(label string) encoding.Encoding {
	label = strings.ToLower(strings.TrimSpace(label))
	switch {
	case label == "" || strings.HasPrefix(label, "utf-16"):
		return nil
	case label == "maccyrillic":
		return charmap.MacintoshCyrillic
	}
	if e, err := htmlindex.Get(label); err == nil && e != encoding.Replacement {
		return e
	}
	// IBM855 and others that browsers never knew.
	if e, err := ianaindex.IANA.Encoding(label); err == nil && e != nil && !strings.HasPrefix(label, "utf") {
		return e
	}
	return nil
}

// legal drops what XML 1.0 forbids: most control characters and two that are none. Pages are full
// of them, parsers stop at them.
func legal(text []byte) []byte {
	if !bytes.ContainsFunc(text, illegal) {
		return text
	}
	return bytes.Map(func(r rune) rune {
		if illegal(r) {
			return -1
		}
		return r
	}, text)
}

func illegal(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
}
