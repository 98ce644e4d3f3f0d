package page

import (
	"bytes"

	"golang.org/x/net/html"
)

// rawNames are the elements whose content is no markup: only their end tag ends them.
var rawNames = [...]string{"script", "style", "title", "textarea", "iframe", "noframes", "noembed", "xmp"}

// runsOn collects, while survey goes over the tags of a page, whether one of them may take the rest
// of the page because it is not ended. It is true for a few pages in which all is ended, too.
type runsOn struct {
	open    [len(rawNames)]bool
	comment int // where the last comment begins; -1 if there is none
}

// tag notes a tag; b is what follows < or </.
func (r *runsOn) tag(b []byte, end bool) {
	for i, name := range rawNames {
		if len(b) > len(name) && b[0]|0x20 == name[0] && bytes.EqualFold(b[:len(name)], []byte(name)) {
			r.open[i] = !end
			return
		}
	}
}

// any reports whether the page must be looked at.
func (r *runsOn) any(body []byte) bool {
	for _, open := range r.open {
		if open {
			return true
		}
	}
	return r.comment >= 0 && !bytes.Contains(body[r.comment:], []byte("-->")) || opensLast(body, '"') || opensLast(body, '\'')
}

// opensLast reports whether the last such sign of a page begins the value of an attribute.
func opensLast(body []byte, quote byte) bool {
	i := bytes.LastIndexByte(body, quote)
	return i > 0 && body[i-1] == '='
}

// maxMended bounds how often a page is gone over.
const maxMended = 8

// endRunning ends what would take the rest of the page by the standard's algorithm because its
// author did not end it: a title, a script, a comment, the value of an attribute. A browser shows
// nothing of such a page, but its text is there. What takes less than a third of the page stays as
// it is: most of it are pages that were cut in their last script.
func endRunning(body []byte) []byte {
	from := 0
	for range maxMended {
		r := findRunning(body, from)
		if r.kind == allEnded || (len(body)-r.start)*3 < len(body) {
			return body
		}
		at, with := r.end(body)
		if at < 0 {
			return body
		}
		body = bytes.Join([][]byte{body[:at], body[at:]}, []byte(with))
		from = r.start
	}
	return body
}

// The kinds of markup that may run on.
const (
	allEnded = iota
	runningElement
	runningComment
	runningTag
)

// running is markup that is not ended.
type running struct {
	kind    int
	start   int    // of its tag, or of the comment
	content int    // of an element: where its content begins
	name    string // of an element
}

// findRunning returns what is not ended at the end of a page. from is the beginning of a tag or
// text.
func findRunning(body []byte, from int) running {
	z := html.NewTokenizer(bytes.NewReader(body[from:]))
	last := running{start: from}
	for at := from; ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			if at < len(body) && body[at] == '<' {
				return running{kind: runningTag, start: at}
			}
			return running{}
		}
		size := len(z.Raw())
		end := at + size
		switch {
		case kind == html.TextToken && end == len(body) && last.name != "":
			return last
		case kind == html.CommentToken && end == len(body) && bytes.HasPrefix(body[at:], []byte("<!--")) && !endsComment(body):
			return running{kind: runningComment, start: at}
		}
		last = running{}
		if kind == html.StartTagToken {
			if name, _ := z.TagName(); isRaw(string(name)) {
				last = running{kind: runningElement, start: at, content: end, name: string(name)}
			}
		}
		at = end
	}
}

func endsComment(body []byte) bool {
	return bytes.HasSuffix(body, []byte("-->")) || bytes.HasSuffix(body, []byte("--!>"))
}

func isRaw(name string) bool {
	for _, raw := range rawNames {
		if name == raw {
			return true
		}
	}
	return false
}

// end returns where the markup should have ended, and what ends it there; -1 if nothing indicates
// it.
func (r running) end(body []byte) (at int, with string) {
	switch r.kind {
	case runningComment: // where browsers once ended it
		if i := bytes.IndexByte(body[r.start+4:], '>'); i >= 0 {
			return r.start + 4 + i, "--"
		}
	case runningTag:
		return endOfValue(body, r.start)
	case runningElement:
		i := -1
		if r.name != "script" && r.name != "style" {
			i = nextTag(body[r.content:])
		} else if j := indexFold(body[r.content:], "</script"); r.name == "script" && j >= 0 {
			return r.content + j, "-->" // it is in a comment, where it does not count
		} else {
			i = endOfCode(body[r.content:])
		}
		if i >= 0 {
			return r.content + i, "</" + r.name + ">"
		}
	}
	return -1, ""
}

// nextTag returns the index of the first tag; -1 if there is none.
func nextTag(b []byte) int {
	for i := range b {
		if b[i] == '<' && startsTag(b[i+1:]) {
			return i
		}
	}
	return -1
}

func startsTag(b []byte) bool {
	if len(b) > 0 && b[0] == '/' {
		b = b[1:]
	}
	return len(b) > 0 && (b[0]|0x20 >= 'a' && b[0]|0x20 <= 'z')
}

// endOfCode returns where a script or style ends that has no end tag: before the first tag if
// nothing is before that; else, if the page has one of the tags that frame every page behind it
// (else it was cut in its script), before such a tag or the first tag at the beginning of a line.
func endOfCode(b []byte) int {
	if rest := bytes.TrimLeft(b, " \t\r\n"); len(rest) > 0 && rest[0] == '<' && startsTag(rest[1:]) {
		return len(b) - len(rest)
	}
	first := -1
	for _, mark := range [...]string{"</head", "<body", "</body", "</html"} {
		if i := indexFold(b, mark); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	if first < 0 {
		return -1
	}
	for at := 0; at < first; {
		line := bytes.TrimLeft(b[at:], " \t\r\n")
		at = len(b) - len(line)
		if at < first && len(line) > 0 && line[0] == '<' && startsTag(line[1:]) {
			return at
		}
		n := bytes.IndexByte(line, '\n')
		if n < 0 {
			break
		}
		at += n
	}
	return first
}

// indexFold is bytes.Index for a pattern in lower case, in a text of any case.
func indexFold(b []byte, pattern string) int {
	for at := 0; ; at++ {
		i := bytes.IndexByte(b[at:], pattern[0])
		if i < 0 || len(b)-at-i < len(pattern) {
			return -1
		}
		if at += i; bytes.EqualFold(b[at:at+len(pattern)], []byte(pattern)) {
			return at
		}
	}
}

// endOfValue returns the index of the first > in the value that takes the rest of the page, and the
// sign that ends the value.
func endOfValue(body []byte, start int) (int, string) {
	var quote, last byte
	open := 0
	for i := start; i < len(body); i++ {
		switch c := body[i]; {
		case quote != 0:
			if c == quote {
				quote, last = 0, c
			}
		case (c == '"' || c == '\'') && last == '=':
			quote, open = c, i
		case c > ' ':
			last = c
		}
	}
	if quote == 0 {
		return -1, ""
	}
	if i := bytes.IndexByte(body[open:], '>'); i >= 0 {
		return open + i, string(quote)
	}
	return -1, ""
}
