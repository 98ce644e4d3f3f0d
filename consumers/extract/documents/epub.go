package documents

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// readEPUB reads a publication (EPUB 3.3): the documents of its spine, in order; those that are not
// in the line of reading (linear="no") come last. Each begins a page. Its table of contents is left
// out. A book whose documents are all encrypted is ErrEncrypted; obfuscated fonts do not matter.
func readEPUB(a *archive) (*Document, error) {
	w := newWriter(a.opts, "epub")
	locked := encrypted{}
	if a.has("META-INF/encryption.xml") {
		if err := heavy(a.walk("META-INF/encryption.xml", locked)); err != nil {
			return nil, err
		}
	}
	c := &container{}
	if err := a.walk("META-INF/container.xml", c); err != nil && !a.findPackage(c) || c.root == "" && !a.findPackage(c) {
		return nil, orError(err, "no package file")
	}
	p := &epubPackage{about: about{d: w.d}, files: map[string]string{}}
	if err := a.walk(c.root, p); err != nil {
		return nil, err
	}
	left := 0
	for _, id := range append(p.spine, p.aside...) {
		name := p.files[id]
		if name == "" || w.full {
			continue
		}
		name = path.Join(path.Dir(c.root), name)
		if locked[memberName(name)] {
			left++
			continue
		}
		if err := a.chapter(w, name); err != nil {
			return nil, err
		}
	}
	if left > 0 && len(w.d.PageStarts) == 0 {
		return nil, ErrEncrypted
	}
	d := w.finish()
	d.Cut = d.Cut || left > 0
	return d, nil
}

// orError is an error that ends the reading of a book.
func orError(err error, otherwise string) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: %s", ErrBroken, otherwise)
}

// findPackage names the package file of a book that has no container file, and reports whether
// there is one.
func (a *archive) findPackage(c *container) bool {
	for name := range a.files {
		if strings.HasSuffix(name, ".opf") && (c.root == "" || name < c.root) {
			c.root = name
		}
	}
	return c.root != ""
}

// encrypted are the members that are encrypted or obfuscated (META-INF/encryption.xml).
type encrypted map[string]bool

func (m encrypted) open(name string, a attrs) {
	if name == "CipherReference" && len(m) < maxSpine {
		m[memberName(fileOf(a.get("URI")))] = true
	}
}
func (m encrypted) close(string) {}
func (m encrypted) chars(string) {}

// fileOf returns the name of the file that a reference leads to, without its fragment.
func fileOf(reference string) string {
	name, _, _ := strings.Cut(reference, "#")
	if file, err := url.PathUnescape(name); err == nil {
		return file
	}
	return name
}

// chapter reads a document of the spine; a missing one is left out.
func (a *archive) chapter(w *writer, name string) error {
	r, err := a.open(name)
	if err != nil {
		return nil
	}
	defer r.Close()
	w.page()
	return heavy(writeHTML(r, "", w, w.heading))
}

// isChapter reports whether a media type is one that text of a book has: XHTML, and what books
// before EPUB 2 had.
func isChapter(mediaType string) bool {
	return strings.Contains(mediaType, "html") || strings.Contains(mediaType, "x-oeb1-document") || strings.Contains(mediaType, "x-dtbook")
}

// container finds the package file.
type container struct{ root string }

func (c *container) open(name string, a attrs) {
	if name == "rootfile" {
		first(&c.root, a.get("full-path"))
	}
}
func (c *container) close(string) {}
func (c *container) chars(string) {}

// epubPackage reads metadata, manifest and spine.
type epubPackage struct {
	about
	files map[string]string // id -> name, of what may be read
	spine []string
	aside []string // what is not in the line of reading
}

const maxSpine = 5000

func (p *epubPackage) open(name string, a attrs) {
	p.about.open(name, a)
	switch name {
	case "item":
		contents := slices.Contains(strings.Fields(a.get("properties")), "nav")
		if isChapter(a.get("media-type")) && !contents && len(p.files) < maxSpine {
			p.files[a.get("id")] = fileOf(a.get("href"))
		}
	case "itemref":
		switch {
		case len(p.spine)+len(p.aside) >= maxSpine:
		case a.get("linear") == "no":
			p.aside = append(p.aside, a.get("idref"))
		default:
			p.spine = append(p.spine, a.get("idref"))
		}
	}
}

func (p *epubPackage) close(name string) {
	if name == "meta" { // dcterms:modified stands in an attribute's value; the text is the date
		p.name = ""
	}
	p.about.close(name)
}

// writeHTML writes the text of an HTML document inside another file. Its headings go to heading,
// which may be nil. Links to other hosts are kept. contentType is what is said of it outside; "" if
// nothing is.
func writeHTML(r io.Reader, contentType string, w *writer, heading func(string)) error {
	utf8 := inUTF8(r, contentType)
	z := html.NewTokenizer(utf8)
	z.SetMaxBuf(maxToken)
	h := htmlWriter{writer: w, report: heading}
	for !w.full {
		switch z.Next() {
		case html.ErrorToken:
			w.end()
			if errors.Is(z.Err(), ErrHeavy) {
				return ErrHeavy
			}
			return nil
		case html.TextToken:
			h.chars(string(z.Text()))
		case html.StartTagToken:
			h.start(z.Token())
		case html.SelfClosingTagToken: // <script/>, of XHTML: it has no text that it could swallow
			z.NextIsNotRawText()
			h.start(z.Token())
		case html.EndTagToken:
			h.stop(z.Token().DataAtom)
		}
	}
	return nil
}

// inUTF8 decodes a document as its XML declaration says, or as HTML does it. If neither says
// anything, it is UTF-8, as every document of XML, unless its beginning cannot be.
func inUTF8(r io.Reader, contentType string) io.Reader {
	b := bufio.NewReader(r)
	head, _ := b.Peek(1024)
	codec, name, certain := charset.DetermineEncoding(head, contentType)
	if declared := declaredXML(head); !certain && declared != "" {
		if e, _ := charset.Lookup(declared); e != nil {
			return e.NewDecoder().Reader(b)
		}
	}
	if name == "utf-8" || !certain && !slices.ContainsFunc(head, func(c byte) bool { return c >= 0x80 }) {
		return b
	}
	return codec.NewDecoder().Reader(b)
}

// declaredXML returns the encoding of an XML declaration; "" if there is none.
func declaredXML(head []byte) string {
	declaration, _, ended := strings.Cut(string(head), "?>")
	_, rest, ok := strings.Cut(declaration, "encoding")
	if rest = strings.TrimLeft(rest, " =\t\r\n"); !ended || !ok || !strings.HasPrefix(declaration, "<?xml") || rest == "" {
		return ""
	}
	name, _, _ := strings.Cut(rest[1:], rest[:1])
	return name
}

// htmlWriter writes the text between tags.
type htmlWriter struct {
	*writer
	report func(string)
	skip   atom.Atom // the element whose text is being skipped
	inside int       // elements of that name in it
	level  bool
	target string
	anchor strings.Builder
}

func (h *htmlWriter) start(t html.Token) {
	if h.skip != 0 && h.skip == t.DataAtom && t.Type == html.StartTagToken && !isReading(t.DataAtom) {
		h.inside++
	}
	if h.skip == 0 && isHidden(t) {
		h.skip = t.DataAtom
	}
	switch t.DataAtom {
	case atom.Script, atom.Style, atom.Title, atom.Rt, atom.Rp, atom.Annotation, atom.AnnotationXml: // and how characters are read
		if t.Type == html.StartTagToken && (h.skip == 0 || isReading(h.skip)) {
			h.skip = t.DataAtom
		}
	case atom.H1, atom.H2, atom.H3:
		h.end()
		h.level = true
	case atom.A:
		for _, a := range t.Attr {
			if a.Key == "href" && strings.Contains(a.Val, "://") {
				h.target = a.Val
				h.anchor.Reset()
			}
		}
	default:
		h.breakAt(t.DataAtom)
	}
}

// isReading reports elements with how characters are read: the next one ends them.
func isReading(a atom.Atom) bool { return a == atom.Rt || a == atom.Rp }

// isHidden reports whether an element that has an end is hidden by its attribute.
func isHidden(t html.Token) bool {
	if t.Type != html.StartTagToken || t.DataAtom == 0 {
		return false
	}
	switch t.DataAtom {
	case atom.P, atom.Div, atom.Span, atom.Section, atom.Aside, atom.Article, atom.Table, atom.Ul, atom.Ol, atom.Li, atom.Figure:
		return slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
	}
	return false
}

func (h *htmlWriter) stop(a atom.Atom) {
	if a == h.skip && h.inside > 0 {
		h.inside--
		return
	}
	if a == atom.Ruby && !isReading(h.skip) {
		return
	}
	switch a {
	case 0:
	case h.skip, atom.Ruby: // which also ends a reading without an end tag
		h.skip = 0
	case atom.H1, atom.H2, atom.H3:
		if p := h.end(); h.level && h.report != nil {
			h.report(p)
		}
		h.level = false
	case atom.A:
		h.link(h.target, h.anchor.String())
		h.target = ""
	default:
		h.breakAt(a)
	}
}

// breakAt ends the line at elements that begin a new one in browsers.
func (h *htmlWriter) breakAt(a atom.Atom) {
	switch a {
	case atom.P, atom.Div, atom.Br, atom.Li, atom.Ul, atom.Ol, atom.Tr, atom.Table, atom.Section, atom.Article, atom.Blockquote,
		atom.H4, atom.H5, atom.H6, atom.Dt, atom.Dd, atom.Dl, atom.Pre, atom.Hr, atom.Header, atom.Footer, atom.Figure, atom.Body:
		h.end()
	case atom.Td, atom.Th:
		h.space()
	}
}

func (h *htmlWriter) chars(s string) {
	if h.skip != 0 {
		return
	}
	h.text(s)
	if h.target != "" && h.anchor.Len() < 400 {
		h.anchor.WriteString(s)
	}
}
