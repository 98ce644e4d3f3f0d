package fetch

import (
	"bytes"
	"strings"

	"millrace/consumers/fetch/robots"
	"millrace/consumers/fetch/web"
	"millrace/consumers/inflate"
)

// robotsLimits bound what is decoded of a robots.txt: a little more than the parser reads.
func robotsLimits() inflate.Limits {
	return inflate.Limits{MaxBytes: robots.MaxBytes + 4096, MaxRatio: 1032}
}

// rulesOf parses the body of an answer for robots.txt, decoded as a page is. false: it cannot be
// decoded, or it is no text. Its rules are not known then, which is not the same as none.
func rulesOf(r *web.Result, agents []string) (*robots.Rules, bool) {
	encoding := strings.Join(r.Header.Values("Content-Encoding"), ",")
	d, err := inflate.Decode(r.Body, encoding, robotsLimits())
	if err == nil && bytes.HasPrefix(d.Body, []byte{0x1f, 0x8b}) { // nobody said that it is packed
		d, err = inflate.Decode(d.Body, "gzip", robotsLimits())
	}
	if err != nil || !isText(d.Body) {
		return nil, false
	}
	return robots.Parse(d.Body, agents...), true
}

// isText reports whether the beginning of a body is text, in any charset: bytes that are packed are
// control characters one time in ten, UTF-16 without its mark every second time. UTF-16 with it is
// read.
func isText(body []byte) bool {
	if bytes.HasPrefix(body, []byte{0xff, 0xfe}) || bytes.HasPrefix(body, []byte{0xfe, 0xff}) {
		return true
	}
	body = body[:min(len(body), 4096)]
	odd := 0
	for _, c := range body {
		if c < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1a\x1b", rune(c)) || c == 0x7f {
			odd++
		}
	}
	return odd < 2 || odd*25 <= len(body)
}
