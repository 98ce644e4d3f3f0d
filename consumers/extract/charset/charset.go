// Package charset turns the bytes of a page into UTF-8 text, and says how it found the encoding.
//
// # Goals
//
// Every page becomes readable text, also when its server or its author names a wrong encoding.
//
// # How it works
//
// The sources are tried in this order: byte order mark; bytes that can only be UTF-8; Content-Type
// header; meta element or XML declaration; detection from the bytes. A declared encoding in which
// the bytes do not decode, or decode into what is far less like writing than in another encoding,
// is ignored, because pages are moved between servers and their headers are not corrected. Bytes
// that look like UTF-16 or UTF-32 are that, whatever is declared.
//
// Detection knows UTF-8, UTF-16 and UTF-32 without a mark, ISO-2022-JP, the multi-byte sets of
// China, Japan and Korea, and the single-byte sets for Cyrillic, Latin, Greek, Hebrew, Arabic and
// Thai script. It decodes a sample with every candidate and takes the one whose result looks most
// like writing: see Detect.
//
// # Promises
//
// The result is valid UTF-8. The same bytes and header give the same text.
//
// # On failure
//
// There are no errors. Bytes that cannot be decoded become U+FFFD, which package plain removes
// later.
//
// # Limits
//
// UTF-7 and HZ are neither detected nor used when declared, because in both ASCII bytes can hide
// markup. Names are those of the WHATWG Encoding Standard, where it has one; IBM855 and UTF-32,
// which it does not have, are decoded too. Detection from a few dozen bytes is a guess. A page
// without a letter outside ASCII is called windows-1252, as in browsers; its text is the same in
// all candidates.
package charset

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Source says how the encoding was found.
type Source string

// The sources, strongest first.
const (
	FromBOM       Source = "byte order mark"
	FromUTF8      Source = "valid UTF-8"
	FromHeader    Source = "header"
	FromMeta      Source = "meta element"
	FromXML       Source = "XML declaration"
	FromDetection Source = "detection"
	FromDefault   Source = "default" // the page has only ASCII
)

// Text is a decoded body.
type Text struct {
	UTF8   []byte
	Name   string // lower case, e.g. "windows-1251"
	Source Source
}

// DefaultName is the encoding given for a page in plain ASCII.
const DefaultName = "windows-1252"

// prescanBytes is how far into a page a declaration is searched. Browsers read 1,024 bytes; many
// templates have long comments and scripts before the meta element.
const prescanBytes = 8 << 10

// A Decoder has the models for detection. It is safe for concurrent use.
type Decoder struct {
	candidates []candidate
}

// New returns a Decoder. It takes some milliseconds, so make one per process.
func New() *Decoder { return &Decoder{candidates: candidates()} }

// Decode returns body as UTF-8. contentType is the header's value and may be empty.
func (d *Decoder) Decode(body []byte, contentType string) Text {
	if name, n := bom(body); name != "" {
		return convert(body[n:], name, FromBOM)
	}
	if name := looksWide(body); name != "" { // no other encoding has zero bytes at every second place
		return convert(body, name, FromDetection)
	}
	name, source := declared(body, contentType)
	if t, ok := asUTF8(body, name); ok {
		if name == "utf-8" {
			t.Source = source
		}
		return t
	}
	if name != "" && believable(body, name) {
		if other := d.contradicts(body, name); other != "" {
			return convert(body, other, FromDetection)
		}
		return convert(body, name, source)
	}
	return convert(body, d.Detect(body), FromDetection)
}

// asUTF8 accepts bytes that are valid UTF-8. Text in another encoding is valid UTF-8 only by a very
// rare accident. ASCII is the exception: there a declared 7-bit encoding (iso-2022-jp) decides.
func asUTF8(body []byte, name string) (Text, bool) {
	if !utf8.Valid(body) {
		return Text{}, false
	}
	if isASCII(body) {
		if bytes.IndexByte(body, 0x1b) >= 0 {
			return Text{}, false
		}
		if name == "" {
			return Text{UTF8: body, Name: DefaultName, Source: FromDefault}, true
		}
		return Text{UTF8: body, Name: name, Source: FromUTF8}, name == "utf-8"
	}
	return Text{UTF8: body, Name: "utf-8", Source: FromUTF8}, true
}

// declared returns the canonical name of the encoding that the header or the page states; "" if
// none is stated or known.
func declared(body []byte, contentType string) (string, Source) {
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		if name := Canonical(params["charset"]); name != "" {
			return name, FromHeader
		}
	}
	head := body[:min(len(body), prescanBytes)]
	if name := Canonical(xmlEncoding(head)); name != "" {
		return name, FromXML
	}
	if name := metaCharset(head); name != "" {
		if strings.HasPrefix(name, "utf-16") { // the element could be read, so the page is not UTF-16
			name = "utf-8"
		}
		return name, FromMeta
	}
	return "", ""
}

// Canonical returns the standard's name for a label; "" if it is unknown or not safe.
func Canonical(label string) string {
	label = strings.ToLower(strings.Trim(label, " \t\r\n\"'"))
	switch label {
	case "":
		return ""
	case "ibm855", "cp855", "855":
		return "ibm855"
	case "utf-32", "utf-32le", "utf-32be":
		return label
	case "cp932", "windows-932":
		return "shift_jis"
	case "cp949", "windows-949":
		return "euc-kr"
	case "utf-16be":
		return label
	}
	e, err := htmlindex.Get(label)
	if err != nil {
		return ""
	}
	name, err := htmlindex.Name(e)
	if err != nil || name == "replacement" || name == "x-user-defined" {
		return ""
	}
	return name
}

// decoderOf returns the decoder for a canonical name; nil for UTF-8.
func decoderOf(name string) encoding.Encoding {
	switch name {
	case "utf-8":
		return nil
	case "ibm855":
		return charmap.CodePage855
	case "gbk", "gb2312": // the standard decodes both as what they grew into
		return simplifiedchinese.GB18030
	case "utf-32", "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil
	}
	return e
}

func convert(body []byte, name string, source Source) Text {
	return Text{UTF8: decodeAs(body, name), Name: name, Source: source}
}

// decodeAs returns body decoded; bytes that cannot be decoded become U+FFFD.
func decodeAs(body []byte, name string) []byte {
	e := decoderOf(name)
	if e == nil {
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	out, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return out
}

// believable reports whether a sample of body decodes under the declared encoding with nearly no
// errors. In single-byte sets every byte decodes, so C1 control characters count as errors there:
// pages do not contain them.
func believable(body []byte, name string) bool {
	sample := decodeAs(wideSample(body), name)
	bad, wide := 0, 0
	for _, r := range string(sample) {
		switch {
		case r == utf8.RuneError || 0x80 <= r && r < 0xa0 && r != 0x85:
			bad++
		case r >= utf8.RuneSelf:
			wide++
		}
	}
	return bad <= 2+wide/20
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// bom returns the encoding that a byte order mark names, and the length of the mark.
func bom(b []byte) (string, int) {
	switch {
	case bytes.HasPrefix(b, []byte{0xef, 0xbb, 0xbf}):
		return "utf-8", 3
	case bytes.HasPrefix(b, []byte{0xff, 0xfe, 0, 0}):
		return "utf-32le", 4
	case bytes.HasPrefix(b, []byte{0, 0, 0xfe, 0xff}):
		return "utf-32be", 4
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return "utf-16le", 2
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return "utf-16be", 2
	}
	return "", 0
}
