package documents

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// readXLSX reads a SpreadsheetML package (ECMA-376, part 1, chapter 18): sheet after sheet, one row
// per line.
func readXLSX(a *archive, main string) (*Document, error) {
	w := newWriter(a.opts, "xlsx")
	_ = a.walk("docProps/core.xml", &about{d: w.d})
	book := &bookSink{}
	if err := a.walk(main, book); err != nil {
		return nil, err
	}
	rels := a.relations(main)
	shared := &sharedStrings{}
	if name := relations(rels).ofKind("sharedStrings"); name != "" {
		if err := heavy(a.walk(name, shared)); err != nil {
			return nil, err
		}
	}
	formats := &cellFormats{custom: map[string]string{}}
	if name := relations(rels).ofKind("styles"); name != "" {
		_ = a.walk(name, formats)
	}
	for _, s := range book.sheets {
		part := rels[s.id].target
		if part == "" || w.full {
			continue
		}
		w.page()
		w.text(s.name)
		w.heading(w.end())
		if err := a.sheet(w, part, &sheetSink{writer: w, shared: shared.list, formats: formats, date1904: book.date1904}); err != nil {
			return nil, err
		}
	}
	a.linkSources(w, rels)
	if err := a.embedded(w); err != nil {
		return nil, err
	}
	return w.finish(), nil
}

// linkSources adds links to what a workbook takes values from: other workbooks on the web, and
// programs (18.14.4), which are no addresses to fetch but say where the numbers are from.
func (a *archive) linkSources(w *writer, rels relations) {
	for _, part := range rels.all("externalLink") {
		_ = a.walk(part, &sourceSink{writer: w})
		a.linkExternals(w, a.relations(part))
	}
}

type sourceSink struct{ *writer }

func (s *sourceSink) open(name string, a attrs) {
	if name == "ddeLink" {
		s.link(a.get("ddeService")+"|"+a.get("ddeTopic"), "")
	}
}
func (s *sourceSink) close(string) {}
func (s *sourceSink) chars(string) {}

// sheet reads a sheet, then its comments, text boxes and charts. Missing parts are left out.
func (a *archive) sheet(w *writer, part string, s *sheetSink) error {
	s.rels = a.relations(part)
	if err := heavy(a.walk(part, s)); err != nil {
		return err
	}
	w.end()
	return a.hangings(w, s.rels, 0)
}

// hangings reads the comments and drawings of a part, and the charts and diagrams of the drawings.
func (a *archive) hangings(w *writer, rels map[string]relation, depth int) error {
	for _, kind := range []string{"comments", "drawing", "chart", "chartEx", "diagramData", "notesSlide", "threadedComment", "vmlDrawing"} {
		for _, part := range relations(rels).all(kind) {
			sub := a.relations(part)
			var s sink = &drawingSink{writer: w, rels: sub, points: kind == "chartEx"}
			if kind == "vmlDrawing" {
				s = &controlSink{writer: w}
			}
			if err := heavy(a.walk(part, s)); err != nil {
				return err
			}
			w.end()
			if depth == 0 && kind == "drawing" {
				if err := a.hangings(w, sub, 1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// bookSink reads the workbook: its sheets in the order of the tabs.
type bookSink struct {
	sheets   []struct{ name, id string }
	date1904 bool
}

const maxSheets = 1000

func (s *bookSink) open(name string, a attrs) {
	switch name {
	case "workbookPr":
		v := a.get("date1904")
		s.date1904 = v == "1" || v == "true"
	case "sheet":
		if len(s.sheets) < maxSheets && !strings.HasSuffix(strings.ToLower(a.get("state")), "hidden") { // hidden, veryHidden
			s.sheets = append(s.sheets, struct{ name, id string }{a.get("name"), a.get("id")})
		}
	}
}
func (s *bookSink) close(string) {}
func (s *bookSink) chars(string) {}

// sharedStrings reads the table of strings, without phonetic readings.
type sharedStrings struct {
	list   []string
	item   strings.Builder
	bytes  int
	taking bool
	skip   bool
}

// maxShared bounds the table in bytes; further strings are not shown.
const maxShared = 24 << 20

func (s *sharedStrings) done() bool { return s.bytes > maxShared }
func (s *sharedStrings) open(name string, _ attrs) {
	switch name {
	case "si":
		s.item.Reset()
	case "rPh":
		s.skip = true
	case "t":
		s.taking = !s.skip
	}
}
func (s *sharedStrings) close(name string) {
	switch name {
	case "si":
		s.list = append(s.list, unescapeX(s.item.String()))
		s.bytes += s.item.Len() + 16
	case "rPh":
		s.skip = false
	case "t":
		s.taking = false
	}
}
func (s *sharedStrings) chars(text string) {
	if s.taking {
		s.item.WriteString(text)
	}
}

// cellFormats has the formats of the cell styles.
type cellFormats struct {
	custom map[string]string
	cells  []string // format code or built-in number of each cell style
	inside bool
}

func (s *cellFormats) open(name string, a attrs) {
	switch name {
	case "numFmt":
		if len(s.custom) < 5000 {
			s.custom[a.get("numFmtId")] = a.get("formatCode")
		}
	case "cellXfs":
		s.inside = true
	case "xf":
		if s.inside && len(s.cells) < 100_000 {
			id := a.get("numFmtId")
			s.cells = append(s.cells, orElse(s.custom[id], id))
		}
	}
}
func (s *cellFormats) close(name string) {
	if name == "cellXfs" {
		s.inside = false
	}
}
func (s *cellFormats) chars(string) {}

// show formats a number by its cell style.
func (s *cellFormats) show(v, style string, date1904 bool) string {
	i, err := strconv.Atoi(style)
	if err != nil || i < 0 || i >= len(s.cells) {
		i = -1
	}
	code := ""
	if i >= 0 {
		code = s.cells[i]
	}
	return showNumber(v, code, date1904)
}

// sheetSink writes the cells of a sheet.
//
// It is large because a cell depends on what rows, columns and styles say, and is text, reading or
// formula between its tags.
type sheetSink struct {
	*writer
	shared   []string
	formats  *cellFormats
	rels     map[string]relation
	date1904 bool

	kind, style string // of the cell in work
	taking      bool
	reading     bool // inside how the text is read
	value       strings.Builder
	formula     string // that makes a link
	computing   bool   // inside a formula

	column int  // of the cell, from 1
	hidden bool // the row is not shown
	unseen columns
}

// maxColumns is how many columns a sheet has (18.3.1.13).
const maxColumns = 16_384

// columns are the columns of a sheet that are not shown, a bit each; nil: all are shown.
type columns []uint64

// hide adds the columns from first to last, from 1.
func (c *columns) hide(first, last int) {
	first, last = max(first, 1), min(last, maxColumns)
	if *c == nil && first <= last {
		*c = make(columns, maxColumns/64+1)
	}
	for n := first; n <= last; {
		if n%64 == 0 && n+63 <= last {
			(*c)[n/64] = ^uint64(0)
			n += 64
			continue
		}
		(*c)[n/64] |= 1 << (n % 64)
		n++
	}
}

func (c columns) hidden(n int) bool {
	return c != nil && n > 0 && n <= maxColumns && c[n/64]&(1<<(n%64)) != 0
}

// hidden reports whether a row or column is hidden. One of a group that is folded is not: it is
// offered by a button beside it.
func (a attrs) hidden() bool {
	switch a.get("hidden") {
	case "1", "true", "on":
		return a.get("outlineLevel") == "" || a.get("outlineLevel") == "0"
	}
	return false
}

// columnOf returns the number of the column in the name of a cell: 28 of AB7; 0 if there is none.
func columnOf(cell string) int {
	n := 0
	for i := 0; i < len(cell) && i < 4; i++ {
		c := cell[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			break
		}
		n = n*26 + int(c-'A') + 1
	}
	return n
}

func (s *sheetSink) done() bool { return s.full }

func (s *sheetSink) open(name string, a attrs) {
	switch name {
	case "col":
		if first, err := strconv.Atoi(a.get("min")); err == nil && a.hidden() {
			last, _ := strconv.Atoi(a.get("max"))
			s.unseen.hide(first, last)
		}
	case "row":
		s.hidden, s.column = a.hidden(), 0
	case "c":
		s.kind, s.style = a.get("t"), a.get("s")
		s.value.Reset()
		s.column++ // a cell without a name follows the one before it
		if n := columnOf(a.get("r")); n > 0 {
			s.column = n
		}
	case "rPh":
		s.reading = true
	case "f":
		s.computing, s.formula = true, ""
	case "v", "t", "oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter":
		s.taking = !s.reading
		if name != "t" {
			s.value.Reset()
		}
	case "hyperlink":
		if r := s.rels[a.get("id")]; r.kind == "hyperlink" {
			s.link(r.target, orElse(a.get("display"), a.get("tooltip")))
		}
	}
}

func (s *sheetSink) close(name string) {
	switch name {
	case "v", "t":
		s.taking = false
	case "rPh":
		s.reading = false
	case "f":
		s.computing = false
	case "c":
		if !s.hidden && !s.unseen.hidden(s.column) {
			s.space()
			s.text(s.cell())
			if url := formulaLink(s.formula); url != "" {
				s.link(url, s.cell())
			}
		}
		s.formula = ""
		s.value.Reset()
	case "row":
		s.end()
	case "oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter":
		s.taking = false
		s.end()
		s.text(headerText(s.value.String()))
		s.end()
		s.value.Reset()
	}
}

func (s *sheetSink) chars(text string) {
	if s.taking && s.value.Len() < maxLine {
		s.value.WriteString(text)
	}
	if s.computing && len(s.formula) < 4<<10 {
		s.formula += text
	}
}

// formulaLink returns the address in a formula that makes a link; "" for other formulas, and for
// those that compute the address.
func formulaLink(formula string) string {
	rest, ok := strings.CutPrefix(strings.TrimLeft(formula, "= "), `HYPERLINK("`)
	if !ok {
		return ""
	}
	url, rest, _ := strings.Cut(rest, `"`)
	if rest = strings.TrimSpace(rest); !strings.Contains(url, "://") || rest != "" && rest[0] != ',' && rest[0] != ')' {
		return ""
	}
	return url
}

// unescapeX undoes the escapes of strings in workbooks (22.9.2.19): _x000D_ is a carriage return.
func unescapeX(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if n, err := escapedX(s[i:]); err == nil {
			b.WriteRune(rune(n))
			i += escapedBytes - 1
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

const escapedBytes = len("_x000D_")

// escapedX returns the character of the escape that a string begins with.
func escapedX(s string) (uint64, error) {
	if len(s) < escapedBytes || s[0] != '_' || s[1] != 'x' || s[escapedBytes-1] != '_' {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseUint(s[2:escapedBytes-1], 16, 16)
}

func (s *sheetSink) cell() string {
	v := s.value.String()
	switch s.kind {
	case "s":
		if i, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && i >= 0 && i < len(s.shared) {
			return s.shared[i]
		}
		return ""
	case "str", "inlineStr", "e":
		return unescapeX(v)
	case "d": // as a date alone, if it has no time
		day, _, _ := strings.Cut(v, "T00:00:00")
		return day
	case "b":
		return map[string]string{"1": "TRUE", "0": "FALSE"}[v]
	}
	if v == "" {
		return ""
	}
	return s.formats.show(v, s.style, s.date1904)
}

// headerText removes the codes from a page header: &L, &C, &R, &P, &"font", &12, &KFF0000
// (18.3.1.46).
func headerText(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '&' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		switch i++; {
		case s[i] == '&':
			b.WriteByte('&')
		case s[i] == '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
			}
		case s[i] >= '0' && s[i] <= '9':
			for i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				i++
			}
		case s[i] == 'K': // a colour: six digits, or that of a theme: 01+000
			i = min(i+6, len(s)-1)
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// sortNames sorts the names of parts so that slide10 comes after slide9.
func sortNames(names []string) {
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(padded(a), padded(b))
	})
}

func padded(name string) string {
	var b strings.Builder
	digits := ""
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] >= '0' && name[i] <= '9' {
			digits += name[i : i+1]
			continue
		}
		if digits != "" {
			fmt.Fprintf(&b, "%010s", digits)
			digits = ""
		}
		if i < len(name) {
			b.WriteByte(name[i])
		}
	}
	return b.String()
}
