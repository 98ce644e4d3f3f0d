package documents

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
)

// archive is a zip archive whose unpacking is bounded.
type archive struct {
	ctx   context.Context
	opts  Options
	files map[string]*zip.File // by name in lower case, without a slash in front
	left  *int64               // bytes that may still be unpacked, of this archive and those in it
	cut   bool                 // it breaks off: see openSalvaged
}

// openArchive reads the list of members. Their number is bounded before it is read: an entry takes
// 46 bytes of a file, and several hundred in memory.
func openArchive(ctx context.Context, o Options, body []byte) (*archive, error) {
	if n := bytes.Count(body, []byte("PK\x01\x02")); n > o.MaxEntries {
		return nil, fmt.Errorf("%w: an archive of %d members", ErrHeavy, n)
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	cut := err != nil
	if cut {
		if z = openSalvaged(body, o.MaxEntries); z == nil {
			return nil, fmt.Errorf("%w: %w", ErrBroken, err)
		}
	}
	a := &archive{ctx: ctx, opts: o, files: make(map[string]*zip.File, len(z.File)), left: o.budget, cut: cut}
	if a.left == nil {
		a.left = new(o.MaxUnpacked)
	}
	for _, f := range z.File {
		if f.Flags&1 != 0 { // encrypted
			return nil, ErrEncrypted
		}
		name := memberName(f.Name)
		if _, twice := a.files[name]; !twice {
			a.files[name] = f
		}
	}
	return a, nil
}

func memberName(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/"))
}

func (a *archive) has(name string) bool { return a.files[memberName(name)] != nil }

// open returns a member as a stream. The stream ends with ErrHeavy when more was unpacked of the
// archive than Options allow.
func (a *archive) open(name string) (io.ReadCloser, error) {
	f := a.files[memberName(name)]
	if f == nil {
		return nil, fmt.Errorf("%w: no member %q", ErrBroken, name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrBroken, name, err)
	}
	return &member{archive: a, ReadCloser: r}, nil
}

type member struct {
	*archive
	io.ReadCloser
}

// Read implements io.Reader.
func (m *member) Read(b []byte) (int, error) {
	if m.ctx.Err() != nil {
		return 0, ErrHeavy
	}
	if *m.left <= 0 {
		return 0, ErrHeavy
	}
	if int64(len(b)) > *m.left {
		b = b[:*m.left]
	}
	n, err := m.ReadCloser.Read(b)
	*m.left -= int64(n)
	if m.cut && errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF // the sizes of its members are not known
	}
	return n, err
}

// small reads a short member, of at most limit bytes, into memory.
func (a *archive) small(name string, limit int64) ([]byte, error) {
	r, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, limit))
}

// attrs are the attributes of an element, by local name.
type attrs []xml.Attr

func (a attrs) get(name string) string {
	for _, x := range a {
		if x.Name.Local == name {
			return x.Value
		}
	}
	return ""
}

// on returns the value of a switch of OOXML: an element without val is on.
func (a attrs) on() bool {
	switch a.get("val") {
	case "0", "false", "off", "none":
		return false
	}
	return true
}

// sink takes the tokens of an XML stream. Names are local, without their prefix.
type sink interface {
	open(name string, a attrs)
	close(name string)
	chars(s string)
}

// walk sends the tokens of an XML member to a sink. A syntax error ends it, and the sink keeps what
// it got. The error is ErrHeavy, or says that not even the first element could be read.
func (a *archive) walk(name string, s sink) error {
	r, err := a.open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	return walkXML(r, a.opts.MaxDepth, s)
}

// walkXML reads tokens without resolving namespaces or entities of the file's own. Elements below
// maxDepth are ignored.
func walkXML(r io.Reader, maxDepth int, s sink) error {
	r, wide := fromUTF16(&steady{r: r})
	d := xml.NewDecoder(r)
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if wide { // it is decoded already, whatever it says of itself
			return in, nil
		}
		return charset.NewReaderLabel(label, in)
	}
	depth, seen := 0, false
	enough, _ := s.(interface{ done() bool })
	for {
		if enough != nil && enough.done() {
			return nil
		}
		t, err := d.RawToken()
		switch {
		case errors.Is(err, ErrHeavy):
			return ErrHeavy
		case err != nil && !seen:
			return fmt.Errorf("%w: %w", ErrBroken, err)
		case err != nil:
			return nil
		}
		switch t := t.(type) {
		case xml.StartElement:
			seen = true
			if depth++; depth <= maxDepth {
				s.open(t.Name.Local, attrs(t.Attr))
			}
		case xml.EndElement:
			if depth > 0 && depth <= maxDepth {
				s.close(t.Name.Local)
			}
			depth = max(depth-1, 0)
		case xml.CharData:
			if depth > 0 && depth <= maxDepth {
				s.chars(string(t))
			}
		}
	}
}

// fromUTF16 decodes a stream that begins with the mark of UTF-16, the second encoding that a part
// of a package may have (ECMA-376, part 2), and reports whether it does.
func fromUTF16(r io.Reader) (io.Reader, bool) {
	b := bufio.NewReader(r)
	mark, _ := b.Peek(2)
	if string(mark) != "\xff\xfe" && string(mark) != "\xfe\xff" {
		return b, false
	}
	return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(b), true
}

// steady ends a stream that has no markup for maxToken bytes, because the parser would keep all of
// it in memory.
type steady struct {
	r   io.Reader
	run int
}

const maxToken = 8 << 20

// Read implements io.Reader.
func (s *steady) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if i := bytes.LastIndexByte(b[:n], '<'); i >= 0 {
		s.run = n - i
	} else if s.run += n; s.run > maxToken {
		return 0, ErrHeavy
	}
	return n, err
}

// relation is an entry of a _rels file.
type relation struct {
	kind, target string
	external     bool // the target is no part of the archive
}

// relations reads the relationships of a part; nil if it has none. kind is the last word of the
// type, so that strict and transitional names are equal.
func (a *archive) relations(part string) map[string]relation {
	dir, file := path.Split(part)
	out := relations{}
	if err := a.walk(dir+"_rels/"+file+".rels", out); err != nil {
		return nil
	}
	for id, r := range out {
		if r.kind != "hyperlink" && !r.external && !strings.Contains(r.target, "://") {
			if strings.HasPrefix(r.target, "/") {
				r.target = strings.TrimPrefix(r.target, "/")
			} else {
				r.target = path.Join(dir, r.target)
			}
			out[id] = r
		}
	}
	return out
}

type relations map[string]relation

// maxRelations bounds the relationships of a part that are kept.
const maxRelations = 20_000

func (m relations) open(name string, a attrs) {
	if name != "Relationship" || len(m) >= maxRelations {
		return
	}
	m[a.get("Id")] = relation{kind: path.Base(a.get("Type")), target: a.get("Target"), external: strings.EqualFold(a.get("TargetMode"), "External")}
}
func (m relations) close(string) {}
func (m relations) chars(string) {}

// ofKind returns the target of a kind with the smallest id, so that the choice does not depend on
// the order of a map.
func (m relations) ofKind(kind string) string {
	best := ""
	for id, r := range m {
		if r.kind == kind && (best == "" || id < best) {
			best = id
		}
	}
	return m[best].target
}

// about reads Dublin Core: docProps/core.xml, meta.xml and the package file of an EPUB.
type about struct {
	d    *Document
	name string
	text strings.Builder
}

func (m *about) open(name string, _ attrs) { m.name = name; m.text.Reset() }
func (m *about) chars(s string) {
	if m.text.Len() < 4<<10 {
		m.text.WriteString(s)
	}
}

func (m *about) close(name string) {
	v := strings.TrimSpace(m.text.String())
	m.text.Reset()
	if name != m.name || v == "" {
		return
	}
	switch name {
	case "title":
		first(&m.d.Title, v)
	case "creator", "initial-creator":
		first(&m.d.Author, v)
	case "description", "subject":
		first(&m.d.Summary, v)
	case "keywords", "keyword":
		if len(m.d.keywords) < maxKeywords {
			m.d.keywords = append(m.d.keywords, v)
		}
	case "language":
		first(&m.d.Lang, v)
	case "created", "creation-date":
		m.d.Created = when(v)
	case "modified":
		m.d.Modified = when(v)
	case "date":
		if m.d.Type == "epub" {
			m.d.Created = when(v)
		} else {
			m.d.Modified = when(v)
		}
	}
}

// maxKeywords bounds the keywords of a file; each is at most 4 KiB.
const maxKeywords = 50

func first(to *string, v string) {
	if *to == "" {
		*to = v
	}
}

// when parses a W3C date (a profile of ISO 8601); zero if it is none.
func when(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z", "2006-01-02T15:04", time.DateOnly, "2006-01"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// readArchive finds out from its members what an archive is, and reads it.
func readArchive(ctx context.Context, o Options, body []byte) (*Document, error) {
	a, err := openArchive(ctx, o, body)
	if err != nil {
		return nil, err
	}
	d, err := a.document()
	if d != nil && a.cut {
		d.Cut = true
	}
	return d, err
}

func (a *archive) document() (*Document, error) {
	mime, _ := a.small("mimetype", 200)
	switch kind := strings.TrimSpace(string(mime)); {
	case strings.HasPrefix(kind, "application/epub"), kind == "" && a.has("META-INF/container.xml") && !a.has("content.xml"):
		return readEPUB(a)
	case a.has("content.xml"):
		return readODF(a, kind)
	case a.has("encrypted-package"): // the archive is locked as a whole (LibreOffice 24.8)
		return nil, ErrEncrypted
	}
	main := relations(a.relations("")).ofKind("officeDocument")
	kinds := contentTypes{}
	_ = a.walk("[Content_Types].xml", kinds)
	main = orElse(main, kinds.main())
	switch name := strings.ToLower(main); {
	case a.has("word/document.xml"), strings.HasPrefix(name, "word/"):
		return readDOCX(a, orElse(main, "word/document.xml"))
	case strings.HasPrefix(name, "xl/") && strings.HasSuffix(name, ".bin"):
		return readXLSB(a, main)
	case a.has("xl/workbook.xml"), strings.HasPrefix(name, "xl/"):
		return readXLSX(a, orElse(main, "xl/workbook.xml"))
	case a.has("ppt/presentation.xml"), strings.HasPrefix(name, "ppt/"):
		return readPPTX(a, orElse(main, "ppt/presentation.xml"))
	}
	switch kind := kinds[memberName(main)]; { // its folders have names of their own
	case strings.Contains(kind, "wordprocessingml"), strings.Contains(kind, "ms-word"):
		return readDOCX(a, main)
	case strings.Contains(kind, "sheet.binary"):
		return readXLSB(a, main)
	case strings.Contains(kind, "spreadsheetml"), strings.Contains(kind, "ms-excel"):
		return readXLSX(a, main)
	case strings.Contains(kind, "presentationml"), strings.Contains(kind, "ms-powerpoint"):
		return readPPTX(a, main)
	}
	return nil, ErrUnknown
}

// contentTypes are the types of the parts, in lower case, by name.
type contentTypes map[string]string

func (m contentTypes) open(name string, a attrs) {
	if name == "Override" && len(m) < maxRelations {
		m[memberName(a.get("PartName"))] = strings.ToLower(a.get("ContentType"))
	}
}
func (m contentTypes) close(string) {}
func (m contentTypes) chars(string) {}

// main returns the part that says of itself that it is the main one; "" if there is none. Of
// several it is the first by name.
func (m contentTypes) main() string {
	best := ""
	for name, kind := range m {
		if strings.HasSuffix(kind, ".main+xml") && (best == "" || name < best) {
			best = name
		}
	}
	return best
}

// readings chooses between the readings of the same content that a part offers (ECMA-376, part 3):
// the first Choice is taken. It holds how many were begun of each open AlternateContent.
type readings []int

// open reports whether an element is a reading that is not taken.
func (r *readings) open(name string) bool {
	switch name {
	case "AlternateContent":
		*r = append(*r, 0)
	case "Choice":
		if n := len(*r); n > 0 {
			(*r)[n-1]++
			return (*r)[n-1] > 1
		}
	case "Fallback":
		return r.refused(name)
	}
	return false
}

// close reports the same at the end of an element.
func (r *readings) close(name string) bool {
	if n := len(*r); name == "AlternateContent" && n > 0 {
		*r = (*r)[:n-1]
	}
	return r.refused(name)
}

func (r *readings) refused(name string) bool {
	n := len(*r)
	return n > 0 && (name == "Choice" && (*r)[n-1] > 1 || name == "Fallback" && (*r)[n-1] > 0)
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
