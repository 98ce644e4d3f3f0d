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
	if err := a.walk("content.xml", &odfSink{writer: w, cells: w.d.Type == "ods", pages: true}); err != nil {
		return nil, err
	}
	w.end()
	if a.has("styles.xml") {
		if err := heavy(a.walk("styles.xml", &odfSink{writer: w, master: true})); err != nil {
			return nil, err
		}
	}
	return w.finish(), nil
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
type odfSink struct {
	*writer
	cells  bool // a row becomes a line
	pages  bool // the part has pages
	master bool // only text in master pages counts

	inMaster int
	depth    int // depth of paragraphs and headings
	skip     int
	row      bool
	level    bool // the paragraph is a heading
	title    bool // the frame is a slide's title
	target   string
	anchor   strings.Builder
}

func (s *odfSink) done() bool { return s.full }

func (s *odfSink) open(name string, a attrs) {
	switch name {
	case "master-page":
		s.inMaster++
	case "tracked-changes", "deletion", "script", "scripts", "forms", "settings":
		s.skip++
	case "creator", "date", "sender-initials", "creator-initials": // of a note
		s.skip++
	case "p":
		s.depth++
	case "h":
		s.depth++
		s.level = true
	case "s":
		n, _ := strconv.Atoi(a.get("c"))
		s.put(strings.Repeat(" ", min(max(n, 1), 100)))
	case "tab", "line-break", "note-body", "annotation":
		s.space()
	case "soft-page-break":
		s.newPage()
	case "page": // a slide or a drawing
		if s.pages && !s.master {
			s.writer.page()
		}
	case "table":
		if s.cells && s.pages {
			s.writer.page()
			s.writer.text(a.get("name"))
			s.heading(s.end())
		}
	case "table-row":
		s.row = s.cells
	case "frame":
		s.title = a.get("class") == "title"
	case "a":
		s.target = a.get("href")
		s.anchor.Reset()
	}
}

func (s *odfSink) newPage() {
	if s.cells || s.master || s.out.Len() == 0 && s.line.Len() == 0 {
		return
	}
	if len(s.d.PageStarts) == 0 {
		s.d.PageStarts, s.d.Pages = []int32{0}, 1
	}
	s.writer.page()
}

func (s *odfSink) close(name string) {
	switch name {
	case "master-page":
		s.inMaster--
	case "tracked-changes", "deletion", "script", "scripts", "forms", "settings", "creator", "date", "sender-initials", "creator-initials":
		s.skip = max(0, s.skip-1)
	case "p", "h":
		s.endParagraph()
	case "table-cell", "covered-table-cell":
		s.space()
	case "table-row":
		if s.row {
			s.row = false
			s.end()
		}
	case "frame":
		s.title = false
	case "a":
		if strings.Contains(s.target, ":") {
			s.link(s.target, s.anchor.String())
		}
		s.target = ""
	}
}

// endParagraph ends a line, unless it is in a row of a sheet.
func (s *odfSink) endParagraph() {
	s.depth = max(0, s.depth-1)
	if s.row {
		s.space()
		return
	}
	if p := s.end(); s.level || s.title {
		s.heading(p)
	}
	s.level = false
}

func (s *odfSink) put(text string) {
	if s.depth == 0 || s.skip > 0 || s.master && s.inMaster == 0 {
		return
	}
	s.writer.text(text)
	if s.target != "" && s.anchor.Len() < 400 {
		s.anchor.WriteString(text)
	}
}

func (s *odfSink) chars(text string) { s.put(text) }
