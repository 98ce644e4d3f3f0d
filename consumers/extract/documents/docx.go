package documents

import (
	"errors"
	"slices"
	"strings"
)

// readDOCX reads a WordprocessingML package (ECMA-376, part 1, chapter 17): the body, then notes
// and comments, then headers and footers.
func readDOCX(a *archive, main string) (*Document, error) {
	w := newWriter(a.opts, "docx")
	_ = a.walk("docProps/core.xml", &about{d: w.d})
	rels := a.relations(main)
	styles := &styleNames{level: map[string]bool{}, lists: map[string]docxList{}, unseen: map[string]bool{}}
	if name := relations(rels).ofKind("styles"); name != "" {
		_ = a.walk(name, styles)
	}
	numbers := newNumbering()
	if name := relations(rels).ofKind("numbering"); name != "" {
		_ = a.walk(name, numbers)
	}
	body := &docxSink{writer: w, heads: styles.level, rels: rels, numbers: numbers, styled: styles.lists, unseen: styles.unseen}
	if err := a.walk(main, body); err != nil {
		return nil, err
	}
	w.end()
	if err := a.figures(w, rels); err != nil {
		return nil, err
	}
	for _, kind := range []string{"aFChunk", "footnotes", "endnotes", "comments", "header", "footer"} {
		for _, part := range relations(rels).all(kind) {
			if err := a.docxPart(w, kind, part, styles); err != nil {
				return nil, err
			}
		}
	}
	a.linkExternals(w, rels)
	for _, part := range relations(rels).all("settings") {
		a.linkExternals(w, a.relations(part))
	}
	if err := a.embedded(w); err != nil {
		return nil, err
	}
	return w.finish(), nil
}

// docxPart reads a part other than the body. A part that is missing or broken is left out.
func (a *archive) docxPart(w *writer, kind, part string, styles *styleNames) error {
	if kind == "aFChunk" {
		return a.chunk(w, part)
	}
	before := len(w.d.PageStarts)
	err := a.walk(part, &docxSink{writer: w, rels: a.relations(part), heads: styles.level, styled: styles.lists, unseen: styles.unseen, aside: true})
	w.end()
	w.d.PageStarts = w.d.PageStarts[:min(before, len(w.d.PageStarts))]
	return heavy(err)
}

// linkExternals adds links to what a part loads from outside: templates, subdocuments, pictures.
// Hyperlinks are handled elsewhere.
func (a *archive) linkExternals(w *writer, rels relations) {
	var out []string
	for _, r := range rels {
		if r.external && r.kind != "hyperlink" && strings.Contains(r.target, "://") {
			out = append(out, r.target)
		}
	}
	sortNames(out)
	for _, target := range slices.Compact(out) {
		w.link(target, "")
	}
}

// figures reads the charts and diagrams of a part.
func (a *archive) figures(w *writer, rels relations) error {
	for _, kind := range []string{"chart", "chartEx", "diagramData"} {
		for _, part := range rels.all(kind) {
			if err := heavy(a.walk(part, &drawingSink{writer: w, rels: a.relations(part), points: kind == "chartEx"})); err != nil {
				return err
			}
			w.end()
		}
	}
	return nil
}

// heavy returns the errors that end the whole document; nil for all others.
func heavy(err error) error {
	if errors.Is(err, ErrHeavy) {
		return err
	}
	return nil
}

// all returns the targets of a kind, sorted by name, because the map has lost the order of the
// file.
func (m relations) all(kind string) []string {
	var out []string
	for _, r := range m {
		if r.kind == kind {
			out = append(out, r.target)
		}
	}
	sortNames(out)
	return out
}

// docxSink writes the text of a part.
//
// It is large because the format has many switches that are on between two tags.
type docxSink struct {
	*writer
	heads map[string]bool
	rels  map[string]relation
	aside bool // not the body: it has no pages of its own

	taking  bool            // inside w:t
	skip    int             // depth inside elements that are not shown
	hidden  bool            // the run is not shown
	veiled  bool            // the paragraph is not shown, unless a run says that it is
	unseen  map[string]bool // styles: see styleNames
	heading bool            // the paragraph is one
	fields  []docxField     // that are open, the outermost first
	inInstr bool
	target  string // of the current link
	anchor  strings.Builder
	font    string // of the run, if it is one of signs
	choices readings
	rows    []bool // of each open row: it is not shown
	ofRow   bool   // inside the properties of a row
	around  []docxParagraph

	numbers     *numbering          // nil outside the body
	styled      map[string]docxList // numbering by style
	list, level string              // of the paragraph
	style       string
}

func (s *docxSink) done() bool { return s.full }

// isOld reports whether an element has what was deleted, or how it was before a change, or how
// characters are read.
func isOld(name string) bool {
	switch name {
	case "del", "moveFrom", "rPrChange", "pPrChange", "rt":
		return true
	}
	return false
}

func (s *docxSink) open(name string, a attrs) {
	if s.choices.open(name) || isOld(name) {
		s.skip++
	}
	s.row(name, a)
	switch name {
	case "r":
		s.hidden, s.font = s.veiled, ""
	case "rFonts":
		s.font = signFont(a.get("ascii"))
	case "sym":
		s.put(signs(signFont(a.get("font")), a.get("char")))
	case "den": // of a fraction
		s.put("/")
	case "vanish": // the run is not shown
		if s.skip == 0 {
			s.hidden = a.on()
		}
	case "rStyle":
		if hidden, said := hides(s.unseen, s.styled, a.get("val")); said && s.skip == 0 {
			s.hidden = hidden
		}
	case "t":
		s.taking = true
	case "instrText":
		s.inInstr = true
	case "tab", "ptab":
		s.space()
	case "br", "cr":
		if a.get("type") == "page" && !s.aside {
			s.newPage()
		} else {
			s.space()
		}
	case "lastRenderedPageBreak":
		s.newPage()
	case "noBreakHyphen":
		s.put("\u2011")
	case "numId", "ilvl", "pStyle", "outlineLvl":
		if s.skip == 0 { // else it is how the paragraph was before a change
			s.property(name, a.get("val"))
		}
	case "hyperlink":
		if r := s.rels[a.get("id")]; r.kind == "hyperlink" {
			s.begin(r.target)
		}
	case "comment":
		if by := a.get("author"); by != "" {
			s.put(by + ": ")
		}
	case "fldSimple":
		if url := fieldLink(a.get("instr")); url != "" {
			s.begin(url)
		}
	case "fldChar":
		s.fieldChar(a.get("fldCharType"))
	case "result", "listEntry":
		s.choice(name, a.get("val"))
	case "txbxContent":
		s.beside()
		s.around = append(s.around, docxParagraph{s.hidden, s.veiled, s.heading, s.fields})
		s.hidden, s.veiled, s.heading, s.fields = false, false, false, nil
	default:
		s.openShape(name, a)
	}
}

// docxParagraph is what is known of the paragraph that a text box is in.
type docxParagraph struct {
	hidden, veiled, heading bool
	fields                  []docxField
}

// property notes what a paragraph says of itself.
func (s *docxSink) property(name, v string) {
	switch name {
	case "numId":
		s.list = v
	case "ilvl":
		s.level = v
	case "pStyle":
		s.style = v
		s.veiled, _ = hides(s.unseen, s.styled, v)
		s.heading = s.heading || s.heads[v]
	case "outlineLvl":
		s.heading = s.heading || len(v) == 1 && v < "6"
	}
}

// row follows the rows of tables: one may be hidden (17.4.20) or deleted (17.13.5.12) as a whole.
func (s *docxSink) row(name string, a attrs) {
	switch name {
	case "tr":
		s.rows = append(s.rows, false)
	case "trPr":
		s.ofRow = true
	case "hidden", "del":
		if n := len(s.rows); s.ofRow && n > 0 && !s.rows[n-1] && a.on() {
			s.rows[n-1] = true
			s.skip++
		}
	}
}

func (s *docxSink) endRow(name string) {
	switch n := len(s.rows); {
	case name == "trPr":
		s.ofRow = false
	case name == "tr" && n > 0:
		if s.rows[n-1] {
			s.skip = max(0, s.skip-1)
		}
		s.rows = s.rows[:n-1]
	}
}

// openShape handles an element of a picture or shape.
func (s *docxSink) openShape(name string, a attrs) {
	switch name {
	case "docPr": // of a picture: the words for those who do not see it; of a path the name of the file
		if words := a.get("descr"); words != "" {
			s.space()
			s.put(words[strings.LastIndexAny(words, `\/`)+1:])
			s.space()
		}
	case "imagedata": // VML
		if words := a.get("title"); words != "" {
			s.space()
			s.put(words)
			s.space()
		}
	case "shape", "rect", "oval", "line", "roundrect": // VML
		if url := a.get("href"); strings.Contains(url, "://") {
			s.link(url, a.get("alt"))
		}
	case "hlinkClick", "hlinkHover":
		if r := s.rels[a.get("id")]; r.kind == "hyperlink" {
			s.link(r.target, "")
		}
	}
}

// newPage begins a page. A page break at the very beginning of the text is ignored.
func (s *docxSink) newPage() {
	if s.aside || s.skip > 0 || len(s.outer) > 0 || s.out.Len() == 0 && s.line.Len() == 0 {
		return
	}
	if len(s.d.PageStarts) == 0 {
		s.d.PageStarts, s.d.Pages = []int32{0}, 1
	}
	if last := s.d.PageStarts[len(s.d.PageStarts)-1]; int(last) > s.out.Len() {
		return // w:br and lastRenderedPageBreak mean the same page
	}
	s.page()
}

func (s *docxSink) begin(url string) {
	s.finishLink()
	s.target = url
	s.anchor.Reset()
}

func (s *docxSink) finishLink() {
	if s.target != "" {
		s.link(s.target, s.anchor.String())
		s.target = ""
	}
}

func (s *docxSink) put(text string) {
	if s.skip > 0 || s.hidden || s.instructs() {
		return
	}
	text = signs(s.font, text)
	s.text(text)
	if s.target != "" && s.anchor.Len() < 400 {
		s.anchor.WriteString(text)
	}
}

func (s *docxSink) close(name string) {
	if s.choices.close(name) || isOld(name) {
		s.skip = max(0, s.skip-1)
	}
	s.endRow(name)
	switch name {
	case "t":
		s.taking = false
	case "r":
		s.hidden, s.font = false, ""
	case "txbxContent":
		s.back()
		if n := len(s.around); n > 0 {
			p := s.around[n-1]
			s.hidden, s.veiled, s.heading, s.fields = p.hidden, p.veiled, p.heading, p.fields
			s.around = s.around[:n-1]
		}
	case "instrText":
		s.inInstr = false
	case "pPr":
		if s.skip > 0 {
			return
		}
		s.hidden, s.font = false, "" // what it says is of the paragraph's mark
		if list, level := listOf(s.styled, s.style); s.list == "" && list != "" {
			s.list, s.level = list, orElse(s.level, level)
		}
		if s.list != "" && s.numbers != nil && s.skip == 0 && !s.veiled {
			s.text(s.numbers.label(s.list, s.level))
			s.space()
		}
		s.list, s.level, s.style = "", "", ""
	case "hyperlink", "fldSimple":
		s.finishLink()
	case "p":
		if p := s.end(); s.heading && !s.aside {
			s.writer.heading(p)
		}
		s.heading, s.veiled = false, false
		if s.instructs() { // a field that is not ended must not take the rest
			s.fields = nil
		}
	}
}

func (s *docxSink) chars(text string) {
	switch {
	case s.taking:
		s.put(text)
	case s.inInstr && len(s.fields) > 0:
		if f := &s.fields[len(s.fields)-1]; !f.shows && len(f.code) < 8<<10 {
			f.code += text
		}
	}
}
