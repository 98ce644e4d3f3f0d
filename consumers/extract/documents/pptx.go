package documents

import "strings"

// readPPTX reads a PresentationML package (ECMA-376, part 1, chapter 19): the slides in order, each
// with its notes, comments, charts and diagrams; then the texts of the masters.
func readPPTX(a *archive, main string) (*Document, error) {
	w := newWriter(a.opts, "pptx")
	_ = a.walk("docProps/core.xml", &about{d: w.d})
	order := &slideOrder{}
	if err := a.walk(main, order); err != nil {
		return nil, err
	}
	rels := a.relations(main)
	layouts := map[string]bool{}
	for _, id := range order.ids {
		part := rels[id].target
		if part == "" || w.full {
			continue
		}
		w.page()
		own := a.relations(part)
		s := &drawingSink{writer: w, rels: own, slide: true}
		if err := heavy(a.walk(part, s)); err != nil {
			return nil, err
		}
		w.end()
		if s.unshown { // it keeps its number
			continue
		}
		if err := a.hangings(w, own, 0); err != nil {
			return nil, err
		}
		if l := relations(own).ofKind("slideLayout"); l != "" {
			layouts[l] = true
		}
	}
	if err := a.masters(w, rels, layouts); err != nil {
		return nil, err
	}
	return w.finish(), nil
}

// masters adds the texts of masters and of the layouts in use, each once, without placeholders.
func (a *archive) masters(w *writer, rels map[string]relation, layouts map[string]bool) error {
	parts := relations(rels).all("slideMaster")
	var names []string
	for l := range layouts {
		names = append(names, l)
	}
	sortNames(names)
	for _, part := range append(parts, names...) {
		if err := heavy(a.walk(part, &drawingSink{writer: w, rels: a.relations(part), master: true})); err != nil {
			return err
		}
		w.end()
	}
	return nil
}

// slideOrder reads the list of slides.
type slideOrder struct{ ids []string }

const maxSlides = 5000

func (s *slideOrder) open(name string, a attrs) {
	if name != "sldId" || len(s.ids) >= maxSlides {
		return
	}
	for _, x := range a { // two attributes are called id: the one with a prefix is the relationship
		if x.Name.Local == "id" && x.Name.Space != "" {
			s.ids = append(s.ids, x.Value)
		}
	}
}
func (s *slideOrder) close(string) {}
func (s *slideOrder) chars(string) {}

// drawingSink writes the texts of DrawingML: slides, notes, text boxes, charts, diagrams, and
// comments of sheets and slides.
type drawingSink struct {
	*writer
	rels   map[string]relation
	slide  bool // titles of shapes are headings
	master bool // placeholders are not shown on slides

	unshown     bool // the slide is hidden
	shapes      int  // depth of shapes
	hiddenShape int  // the depth of the one that is hidden; 0 = none
	taking      bool
	placeholder string
	inShape     bool
	title       strings.Builder
	skip        int
}

func (s *drawingSink) done() bool { return s.full || s.unshown }

// isShape reports whether an element of a drawing can be hidden.
func isShape(name string) bool {
	switch name {
	case "sp", "grpSp", "graphicFrame", "pic", "cxnSp":
		return true
	}
	return false
}

func (s *drawingSink) open(name string, a attrs) {
	if isShape(name) {
		s.shapes++
	}
	switch name {
	case "sld":
		s.unshown = s.slide && (a.get("show") == "0" || a.get("show") == "false")
	case "cNvPr":
		if v := a.get("hidden"); s.hiddenShape == 0 && s.shapes > 0 && (v == "1" || v == "true") {
			s.hiddenShape = s.shapes
		}
	case "Fallback", "f", "formatCode", "author", "hf": // formulas, and the other reading of what was read
		s.skip++
	case "sp":
		s.inShape, s.placeholder = true, ""
		s.title.Reset()
	case "ph":
		s.placeholder = orElse(a.get("type"), "body")
	case "t", "v", "text":
		s.taking = true
	case "br", "tab":
		s.space()
	case "hlinkClick", "hlinkMouseOver", "hlinkHover":
		if r := s.rels[a.get("id")]; r.kind == "hyperlink" {
			s.link(r.target, "")
		}
	}
}

func (s *drawingSink) close(name string) {
	if isShape(name) {
		defer s.leaveShape()
	}
	switch name {
	case "Fallback", "f", "formatCode", "author", "hf":
		s.skip = max(0, s.skip-1)
	case "t", "v", "text":
		s.taking = false
		if name != "t" {
			s.end()
		}
	case "p", "comment", "pt":
		s.end()
	case "sp":
		if s.slide && s.hiddenShape == 0 && (s.placeholder == "title" || s.placeholder == "ctrTitle") {
			s.heading(s.title.String())
		}
		s.inShape, s.placeholder = false, ""
	}
}

// leaveShape ends a shape; what is in it is no longer hidden if that shape was.
func (s *drawingSink) leaveShape() {
	if s.shapes == s.hiddenShape {
		s.hiddenShape = 0
	}
	s.shapes = max(0, s.shapes-1)
}

func (s *drawingSink) chars(text string) {
	if !s.taking || s.skip > 0 || s.hiddenShape > 0 || s.master && s.placeholder != "" || s.placeholder == "sldNum" {
		return
	}
	s.text(text)
	if s.inShape && s.title.Len() < 400 {
		s.title.WriteString(text)
	}
}
