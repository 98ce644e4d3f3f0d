package documents

import (
	"strconv"
	"strings"
)

// readODF reads an OpenDocument package (ISO/IEC 26300): the content, then headers and footers of
// its page styles.
func readODF(a *archive, mime string) (*Document, error) {
	w := newWriter(a.opts, odfType(mime))
	if manifest, err := a.small("META-INF/manifest.xml", 256<<10); err == nil && strings.Contains(string(manifest), "encryption-data") {
		return nil, ErrEncrypted
	}
	_ = a.walk("meta.xml", &about{d: w.d})
	styles := odfStyles{}
	if a.has("styles.xml") {
		if err := heavy(a.walk("styles.xml", &odfStyleSink{styles: styles})); err != nil {
			return nil, err
		}
	}
	if err := a.walk("content.xml", &odfSink{writer: w, style: odfStyleSink{styles: styles}, cells: w.d.Type == "ods", pages: true}); err != nil {
		return nil, err
	}
	w.end()
	if a.has("styles.xml") {
		if err := heavy(a.walk("styles.xml", &odfSink{writer: w, style: odfStyleSink{styles: styles}, master: true})); err != nil {
			return nil, err
		}
	}
	if err := a.objects(w, styles); err != nil {
		return nil, err
	}
	return w.finish(), nil
}

// objects reads the formulas, charts and other documents inside a document, each in a folder of its
// own.
func (a *archive) objects(w *writer, styles odfStyles) error {
	var names []string
	for name := range a.files {
		if folder, ok := strings.CutSuffix(name, "/content.xml"); ok && folder != "" && !strings.Contains(folder, "/") {
			names = append(names, name)
		}
	}
	sortNames(names)
	for _, name := range names[:min(len(names), maxEmbedded)] {
		if err := heavy(a.walk(name, &odfSink{writer: w, style: odfStyleSink{styles: styles}})); err != nil {
			return err
		}
		w.end()
	}
	return nil
}

func odfType(mime string) string {
	switch {
	case strings.Contains(mime, "spreadsheet"):
		return "ods"
	case strings.Contains(mime, "presentation"):
		return "odp"
	case strings.Contains(mime, "graphics"):
		return "odg"
	}
	return "odt"
}

// odfSink writes the text of a part.
//
// It is large because the format has many elements between whose tags something is on.
type odfSink struct {
	*writer
	style  odfStyleSink
	cells  bool // a row becomes a line
	pages  bool // the part has pages
	master bool // only text in master pages counts

	inMaster int
	depth    int // depth of paragraphs and headings
	skip     int
	row      bool
	levels   []bool // of each open paragraph: it is a heading
	title    bool   // the frame is a slide's title
	shapes   []int  // of each open frame or shape: the depth of paragraphs around it
	note     int    // depth of annotations
	noted    int    // the depth of paragraphs around the annotation
	formula  int    // depth of formulas
	value    string // of the cell, if it has no paragraph
	target   string
	anchor   strings.Builder

	elements int // that are open
	hidden   int // how many were open with the one that is hidden; 0 = none is
	folded   int // depth of groups of rows or columns, which a reader can unfold
	column   int // of the cell, from 1
	unseen   columns
}

func (s *odfSink) done() bool { return s.full }

// hides reports whether an element is not shown, with what is in it.
func (s *odfSink) hides(name string, a attrs) bool {
	switch name {
	case "hidden-text":
		return a.get("is-hidden") != "false"
	case "hidden-paragraph":
		return a.get("is-hidden") == "true"
	case "table-row":
		return collapsed(a) && s.folded == 0
	case "covered-table-cell": // by the one before it
		return true
	case "table-cell":
		return s.unseen.hidden(s.column + 1)
	case "section":
		return a.get("display") == "none" || s.style.styles.hide(a.get("style-name"))
	case "p", "h", "span", "table", "frame":
		return s.style.styles.hide(a.get("style-name"))
	}
	return false
}

// collapsed reports whether a row or column is hidden, by hand or by a filter (19.749).
func collapsed(a attrs) bool {
	v := a.get("visibility")
	return v == "collapse" || v == "filter"
}

// repeated is how many columns an element stands for.
func repeated(a attrs) int {
	n, _ := strconv.Atoi(a.get("number-columns-repeated"))
	return min(max(n, 1), maxColumns)
}

func (s *odfSink) open(name string, a attrs) {
	s.style.open(name, a)
	s.elements++
	if s.hidden == 0 && s.hides(name, a) {
		s.hidden = s.elements
	}
	switch name {
	case "master-page":
		s.inMaster++
	case "tracked-changes", "deletion", "script", "scripts", "forms", "settings", "ruby-text":
		s.skip++
	case "creator", "date", "sender-initials", "creator-initials":
		if s.ofNote() {
			s.skip++
		}
	case "p", "h":
		s.beginParagraph(name == "h")
	case "s":
		n, _ := strconv.Atoi(a.get("c"))
		s.put(strings.Repeat(" ", min(max(n, 1), 100)))
	case "tab", "line-break", "note-body":
		s.space()
	case "annotation":
		if s.formula > 0 { // the formula in another language
			s.skip++
			break
		}
		if s.note++; s.note == 1 {
			s.noted = s.depth
		}
		s.beside()
	case "math":
		s.formula++
		s.depth++
	case "soft-page-break":
		s.newPage()
	case "page": // a slide or a drawing
		if s.pages && !s.master {
			s.writer.page() // a hidden slide keeps its number
			if s.hidden == 0 && s.style.styles.hide(a.get("style-name")) {
				s.hidden = s.elements
			}
		}
	case "title", "desc":
		if s.ofShape() {
			s.space()
		}
	case "frame", "custom-shape", "rect", "line", "g", "image":
		s.shapes = append(s.shapes, s.depth)
		if name == "frame" {
			s.title = a.get("class") == "title"
		}
	case "a":
		s.target = a.get("href")
		s.anchor.Reset()
	default:
		s.openTable(name, a)
	}
}

// openTable handles the elements of a table.
func (s *odfSink) openTable(name string, a attrs) {
	switch name {
	case "table":
		s.unseen, s.column = nil, 0
		if s.cells && s.pages && s.hidden == 0 {
			s.writer.page()
			s.writer.text(a.get("name"))
			s.heading(s.end())
		}
	case "table-row":
		s.row, s.column = s.cells, 0
	case "table-row-group", "table-column-group":
		s.folded++
	case "table-column":
		n := repeated(a)
		if collapsed(a) && s.folded == 0 {
			s.unseen.hide(s.column+1, s.column+n)
		}
		s.column = min(s.column+n, maxColumns)
	case "table-cell", "covered-table-cell":
		s.column = min(s.column+repeated(a), maxColumns)
		s.value = odfValue(a)
	}
}

func (s *odfSink) newPage() {
	if s.cells || s.master || s.hidden > 0 || len(s.outer) > 0 || s.out.Len() == 0 && s.line.Len() == 0 {
		return
	}
	if len(s.d.PageStarts) == 0 {
		s.d.PageStarts, s.d.Pages = []int32{0}, 1
	}
	s.writer.page()
}

func (s *odfSink) close(name string) {
	s.style.close(name)
	defer s.leave()
	switch name {
	case "table-row-group", "table-column-group":
		s.folded = max(0, s.folded-1)
	case "master-page":
		s.inMaster--
	case "tracked-changes", "deletion", "script", "scripts", "forms", "settings", "ruby-text":
		s.skip = max(0, s.skip-1)
	case "creator", "date", "sender-initials", "creator-initials":
		if s.ofNote() {
			s.skip = max(0, s.skip-1)
		}
	case "p", "h":
		s.endParagraph()
	case "annotation":
		if s.formula > 0 {
			s.skip = max(0, s.skip-1)
			break
		}
		s.note = max(0, s.note-1)
		s.back()
	case "math":
		s.formula = max(0, s.formula-1)
		if s.depth = max(0, s.depth-1); s.depth == 0 && !s.row {
			s.end()
		}
	case "title", "desc":
		if s.ofShape() {
			s.space()
		}
	case "table-cell", "covered-table-cell":
		if s.row && s.value != "" && s.hidden == 0 && s.skip == 0 {
			s.text(s.value)
		}
		s.value = ""
		s.space()
	case "table-row":
		if s.row {
			s.row = false
			s.end()
		}
	case "frame", "custom-shape", "rect", "line", "g", "image":
		if n := len(s.shapes); n > 0 {
			s.shapes = s.shapes[:n-1]
		}
		if name == "frame" {
			s.title = false
		}
	case "a":
		if strings.Contains(s.target, ":") && s.hidden == 0 {
			s.link(s.target, s.anchor.String())
		}
		s.target = ""
	}
}

// leave ends an element; what is in it is no longer hidden if it was that one.
func (s *odfSink) leave() {
	if s.elements == s.hidden {
		s.hidden = 0
	}
	s.elements = max(0, s.elements-1)
}

// ofNote reports whether an element says of an annotation who wrote it and when. Fields of a text
// have the same names.
func (s *odfSink) ofNote() bool { return s.note > 0 && s.depth == s.noted }

// ofShape reports whether an element describes a shape or frame.
func (s *odfSink) ofShape() bool {
	n := len(s.shapes)
	return n > 0 && s.shapes[n-1] == s.depth
}

// beginParagraph begins a line. A paragraph inside another one is of a box or a note.
func (s *odfSink) beginParagraph(heading bool) {
	if s.value = ""; s.depth > 0 {
		s.beside()
	}
	s.depth++
	s.levels = append(s.levels, heading)
}

// endParagraph ends a line, unless it is in a row of a sheet.
func (s *odfSink) endParagraph() {
	n := len(s.levels)
	if n == 0 {
		return
	}
	heading := s.levels[n-1] || s.title
	s.levels, s.depth = s.levels[:n-1], max(0, s.depth-1)
	if s.row && s.depth == 0 && len(s.outer) == 0 {
		s.space()
		return
	}
	if p := s.end(); heading {
		s.heading(p)
	}
	if s.depth > 0 {
		s.back()
	}
}

// odfValue returns the value of a cell (19.385), as a sheet shows it if nothing else says how.
func odfValue(a attrs) string {
	switch a.get("value-type") {
	case "float", "percentage", "currency":
		return a.get("value")
	case "string":
		return a.get("string-value")
	case "date":
		return a.get("date-value")
	case "time":
		return a.get("time-value")
	case "boolean":
		return strings.ToUpper(a.get("boolean-value"))
	}
	return ""
}

func (s *odfSink) put(text string) {
	if s.depth == 0 || s.skip > 0 || s.hidden > 0 || s.master && s.inMaster == 0 {
		return
	}
	s.writer.text(text)
	if s.target != "" && s.anchor.Len() < 400 {
		s.anchor.WriteString(text)
	}
}

func (s *odfSink) chars(text string) { s.put(text) }

// odfStyles are the styles whose text is not shown, and those that are based on others.
type odfStyles map[string]odfStyle

type odfStyle struct {
	hidden bool
	base   string
}

// hide reports whether a style hides its text, or one that it is based on.
func (m odfStyles) hide(name string) bool {
	for range 12 {
		s, ok := m[name]
		if !ok {
			return false
		}
		if s.hidden {
			return true
		}
		name = s.base
	}
	return false
}

// maxStyles bounds the styles of a file that are kept.
const maxStyles = 20_000

// odfStyleSink reads styles: hidden text (20.343), hidden tables (20.262), hidden slides (20.224).
type odfStyleSink struct {
	styles odfStyles
	name   string
}

func (s *odfStyleSink) open(name string, a attrs) {
	switch name {
	case "style":
		s.name = a.get("name")
		delete(s.styles, s.name) // automatic styles of two parts may have one name
		if base := a.get("parent-style-name"); base != "" {
			s.set(odfStyle{base: base})
		}
	case "text-properties":
		s.hide(a.get("display") == "none")
	case "table-properties":
		s.hide(a.get("display") == "false")
	case "drawing-page-properties":
		s.hide(a.get("visibility") == "hidden")
	}
}

func (s *odfStyleSink) hide(hidden bool) {
	if hidden && s.name != "" {
		s.set(odfStyle{hidden: true, base: s.styles[s.name].base})
	}
}

func (s *odfStyleSink) set(style odfStyle) {
	if _, known := s.styles[s.name]; s.styles != nil && (known || len(s.styles) < maxStyles) {
		s.styles[s.name] = style
	}
}

func (s *odfStyleSink) close(name string) {
	if name == "style" {
		s.name = ""
	}
}
func (s *odfStyleSink) chars(string) {}
