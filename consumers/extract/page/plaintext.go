package page

import (
	"strings"

	"golang.org/x/net/html"

	"millrace/consumers/extract/plain"
)

// maxTitleLine is the length to which the first line is cut when it becomes the title.
const maxTitleLine = 120

// plain reads a text file. Its first line is the title.
func (x *extraction) plain(body []byte) {
	text := plain.Lines(plain.Cut(string(body), x.opts.MaxText))
	x.r.Text, x.r.TextBy = text, "plain text"
	line, _, _ := strings.Cut(text, "\n")
	x.r.Title, x.r.TitleBy = plain.Cut(line, maxTitleLine), "first line"
}

// xml reads the text between the tags of any XML file, with the HTML tokenizer, which resolves no
// external entities and does not stop at errors.
func (x *extraction) xml(body []byte) {
	z := html.NewTokenizer(strings.NewReader(string(body)))
	var line plain.Builder
	var out strings.Builder
	depthTitle := false
	flush := func() {
		if line.Len() == 0 {
			return
		}
		if depthTitle && x.r.Title == "" {
			x.r.Title, x.r.TitleBy = line.String(), "title element"
		}
		out.Write(line.Bytes())
		out.WriteByte('\n')
		line.Reset()
	}
	for out.Len() < x.opts.MaxText {
		switch z.Next() {
		case html.ErrorToken:
			flush()
			x.r.Text, x.r.TextBy = strings.TrimRight(plain.Cut(out.String(), x.opts.MaxText), "\n"), "xml"
			return
		case html.TextToken:
			line.WriteString(string(z.Text()))
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			flush()
			name, _ := z.TagName()
			depthTitle = string(name) == "title"
		}
	}
	x.r.Text, x.r.TextBy = strings.TrimRight(plain.Cut(out.String(), x.opts.MaxText), "\n"), "xml"
}
