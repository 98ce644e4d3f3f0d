package documents

import (
	"strings"

	"millrace/consumers/extract/plain"
)

// writer collects the text of a document, one paragraph per line, and its pages, headings and
// links.
type writer struct {
	opts Options
	d    *Document
	out  strings.Builder
	line *plain.Builder
	full bool

	outer []*plain.Builder // the paragraphs around a text that stands beside them: see beside
	later []string         // paragraphs of such texts, until the one around them ends
	kept  int              // bytes of later
}

func newWriter(o Options, kind string) *writer {
	return &writer{opts: o, d: &Document{Type: kind}, line: &plain.Builder{}}
}

// maxLine bounds a paragraph; a longer one is split.
const maxLine = 64 << 10

// text adds to the current paragraph.
func (w *writer) text(s string) {
	if w.full {
		return
	}
	w.line.WriteString(s)
	if w.line.Len() > maxLine {
		w.end()
	}
}

// space separates what comes next by a space.
func (w *writer) space() { w.line.Space() }

// beside begins a text that stands inside a paragraph in the file and beside it on paper: a box, a
// note. What is written until back comes after that paragraph, which stays in one piece; before it,
// if nothing of it is written yet.
func (w *writer) beside() {
	w.outer = append(w.outer, w.line)
	w.line = &plain.Builder{}
}

// back ends a text that beside began.
func (w *writer) back() {
	if len(w.outer) == 0 {
		return
	}
	w.end()
	last := len(w.outer) - 1
	w.line, w.outer = w.outer[last], w.outer[:last]
}

// interrupts reports whether a paragraph around this one has begun.
func (w *writer) interrupts() bool {
	for _, line := range w.outer {
		if line.Len() > 0 {
			return true
		}
	}
	return false
}

// end ends the paragraph and returns it.
func (w *writer) end() string {
	p := w.line.String()
	w.line.Reset()
	switch {
	case !w.interrupts():
		p = w.paragraph(p)
	case p != "" && w.out.Len()+w.kept <= w.opts.MaxText: // one too many, so that the text is cut
		w.later, w.kept = append(w.later, p), w.kept+len(p)
	}
	if len(w.outer) == 0 {
		for _, s := range w.later {
			w.paragraph(s)
		}
		w.later, w.kept = nil, 0
	}
	return p
}

// paragraph adds a paragraph to the text, and returns as much of it as there is room for.
func (w *writer) paragraph(p string) string {
	if p == "" {
		return ""
	}
	if w.out.Len() > 0 && !w.full {
		w.out.WriteByte('\n')
	}
	room := w.opts.MaxText - w.out.Len()
	if len(p) > room {
		p = plain.Cut(p, max(room, 0))
		w.full, w.d.Cut = true, true
	}
	w.out.WriteString(p)
	return p
}

// page begins a page with the text that comes next.
func (w *writer) page() {
	w.end()
	w.d.Pages++
	if w.full {
		return
	}
	at := int32(w.out.Len())
	if at > 0 {
		at++ // after the line feed that the next paragraph brings
	}
	if int(at) < w.opts.MaxText && len(w.d.PageStarts) < w.opts.MaxPages {
		w.d.PageStarts = append(w.d.PageStarts, at)
	}
}

func (w *writer) heading(s string) {
	if s = plain.Clean(s); s != "" && len(w.d.Headings) < w.opts.MaxHeadings {
		w.d.Headings = append(w.d.Headings, plain.Cut(s, 500))
	}
}

func (w *writer) link(url, text string) {
	if url = strings.TrimSpace(url); url == "" {
		return
	}
	if len(w.d.Links) >= w.opts.MaxLinks {
		return
	}
	w.d.Links = append(w.d.Links, Link{URL: plain.Cut(url, 4<<10), Text: plain.Cut(plain.Clean(text), 200)})
}

// finish returns the document. A page without text begins where the next one does; pages after the
// end of the text are left out.
func (w *writer) finish() *Document {
	for len(w.outer) > 0 { // the file broke off
		w.back()
	}
	w.end()
	d := w.d
	w.text(strings.Join(d.keywords, ", "))
	w.end()
	d.Text = w.out.String()
	d.complete()
	return d
}

// complete derives from the text what depends on all of it.
func (d *Document) complete() {
	for i, at := range d.PageStarts {
		if int(at) >= len(d.Text) {
			if d.PageStarts = d.PageStarts[:i]; i == 0 {
				d.PageStarts = nil
			}
			break
		}
	}
	d.Author = plain.Cut(plain.Clean(d.Author), 500)
	d.nameIt()
}

// nameIt chooses the title: the stated one unless a program filled it in, else the first heading,
// else the first line.
func (d *Document) nameIt() {
	if t := statedTitle(d.Title); t != "" {
		d.Title, d.TitleBy = t, "stated in the file"
		return
	}
	if len(d.Headings) > 0 {
		d.Title, d.TitleBy = d.Headings[0], "first heading"
		return
	}
	line, _, _ := strings.Cut(d.Text, "\n")
	d.Title, d.TitleBy = plain.Cut(line, 120), "first line"
}

// statedTitle returns a title that a person wrote; "" for titles that programs fill in.
func statedTitle(t string) string {
	t = plain.Cut(plain.Clean(t), 500)
	t = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(t, "Microsoft Word -"), "Microsoft PowerPoint -"))
	lower := strings.ToLower(t)
	for _, end := range []string{".doc", ".docx", ".dvi", ".tex", ".ppt", ".pptx", ".xls", ".xlsx", ".xlsb", ".indd", ".qxd", ".pdf", ".rtf", ".odt", ".odp", ".ods", ".ps", ".wpd", ".pub", ".txt"} {
		if strings.HasSuffix(lower, end) {
			return ""
		}
	}
	for _, empty := range []string{"untitled", "untitled document", "document", "title", "slide 1", "powerpoint presentation", "presentation", "powerpoint-präsentation", "презентация powerpoint", "diapositiva 1", "(anonymous)", "none", "no slide title", "1", "unknown"} {
		if lower == empty {
			return ""
		}
	}
	return t
}
