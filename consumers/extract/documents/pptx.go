package documents

import (
	"strconv"
	"strings"
)

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
	if len(order.ids) == 0 { // no list: in the order of their names
		for i, part := range relations(rels).all("slide") {
			id := "no list " + strconv.Itoa(i)
			rels[id] = relation{kind: "slide", target: part}
			order.ids = append(order.ids, id)
		}
	}
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
//
// It is large because these share their paragraphs and runs, and each has some elements of its own.
type drawingSink struct {
	*writer
	rels   map[string]relation
	slide  bool // titles of shapes are headings
	master bool // placeholders are not shown on slides
	points bool // values stand in pt, as in charts of Office 2016

	unshown     bool // the slide is hidden
	shapes      int  // depth of shapes
	hiddenShape int  // the depth of the one that is hidden; 0 = none
	taking      bool
	placeholder string
	inShape     bool
	title       strings.Builder
	skip        int
	font        string // of the run, if it is one of signs
	choices     readings

	threads   []bool // of the authors of comments: they stand for a thread, which has a part of its own
	authoring bool   // inside the name of an author
	ofThread  bool   // the comment in work is one of such an author
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
	if s.choices.open(name) {
		s.skip++
	}
	switch name {
	case "sld":
		s.unshown = s.slide && (a.get("show") == "0" || a.get("show") == "false")
	case "cNvPr":
		if v := a.get("hidden"); s.hiddenShape == 0 && s.shapes > 0 && (v == "1" || v == "true") {
			s.hiddenShape = s.shapes
		}
	case "f", "formatCode", "author", "hf": // formulas
		s.skip++
		s.authoring = name == "author"
		if s.authoring && len(s.threads) < maxRelations {
			s.threads = append(s.threads, false)
		}
	case "comment":
		if s.ofThread = s.isThread(a.get("authorId")); s.ofThread {
			s.skip++
		}
	case "rPr", "endParaRPr", "defRPr":
		s.font = ""
	case "latin", "sym":
		s.font = orElse(s.font, signFont(a.get("typeface")))
	case "den": // of a fraction
		if s.skip == 0 {
			s.text("/")
		}
	case "pt":
		s.taking = s.points
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
	if s.choices.close(name) {
		s.skip = max(0, s.skip-1)
	}
	switch name {
	case "f", "formatCode", "author", "hf":
		s.skip, s.authoring = max(0, s.skip-1), false
	case "r":
		s.font = ""
	case "t", "v", "text":
		s.taking = false
		if name != "t" {
			s.end()
		}
	case "pt":
		s.taking = s.taking && !s.points
		s.end()
	case "comment":
		if s.ofThread {
			s.skip, s.ofThread = max(0, s.skip-1), false
		}
		s.end()
	case "p":
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

// isThread reports whether an author, by its number, stands for a thread: Excel writes a comment
// for programs that know no threads.
func (s *drawingSink) isThread(number string) bool {
	i, err := strconv.Atoi(number)
	return err == nil && i >= 0 && i < len(s.threads) && s.threads[i]
}

func (s *drawingSink) chars(text string) {
	if s.authoring && strings.HasPrefix(text, "tc=") {
		s.threads[len(s.threads)-1] = true
	}
	if !s.taking || s.skip > 0 || s.hiddenShape > 0 || s.master && s.placeholder != "" || s.placeholder == "sldNum" {
		return
	}
	text = signs(s.font, text)
	s.text(text)
	if s.inShape && s.title.Len() < 400 {
		s.title.WriteString(text)
	}
}
