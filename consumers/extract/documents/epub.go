package documents

import (
	"errors"
	"io"
	"net/url"
	"path"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// readEPUB reads a publication (EPUB 3.3): the documents of its spine, in order. Each begins a
// page.
func readEPUB(a *archive) (*Document, error) {
	w := newWriter(a.opts, "epub")
	if a.has("META-INF/encryption.xml") {
		if b, err := a.small("META-INF/encryption.xml", 256<<10); err == nil && encryptsText(string(b)) {
			return nil, ErrEncrypted
		}
	}
	c := &container{}
	if err := a.walk("META-INF/container.xml", c); err != nil {
		return nil, err
	}
	p := &epubPackage{about: about{d: w.d}, files: map[string]string{}}
	if err := a.walk(c.root, p); err != nil {
		return nil, err
	}
	for _, id := range p.spine {
		name := p.files[id]
		if name == "" || w.full {
			continue
		}
		if err := a.chapter(w, path.Join(path.Dir(c.root), name)); err != nil {
			return nil, err
		}
	}
	return w.finish(), nil
}

// encryptsText distinguishes protected books from those in which only fonts are obfuscated (EPUB
// 3.3).
func encryptsText(s string) bool {
	return strings.Contains(s, ".xhtml") || strings.Contains(s, ".html") || strings.Contains(s, ".htm\"")
}

// chapter reads a document of the spine; a missing one is left out.
func (a *archive) chapter(w *writer, name string) error {
	r, err := a.open(name)
	if err != nil {
		return nil
	}
	defer r.Close()
	w.page()
	return heavy(writeHTML(r, w, w.heading))
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
}

const maxSpine = 5000

func (p *epubPackage) open(name string, a attrs) {
	p.about.open(name, a)
	switch name {
	case "item":
		if strings.Contains(a.get("media-type"), "html") && len(p.files) < maxSpine {
			file, err := url.PathUnescape(a.get("href"))
			if err != nil {
				file = a.get("href")
			}
			p.files[a.get("id")] = file
		}
	case "itemref":
		if len(p.spine) < maxSpine {
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
// which may be nil. Links to other hosts are kept.
func writeHTML(r io.Reader, w *writer, heading func(string)) error {
	utf8, err := charset.NewReader(r, "text/html")
	if err != nil {
		return nil
	}
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

// htmlWriter writes the text between tags.
type htmlWriter struct {
	*writer
	report func(string)
	skip   atom.Atom // the element whose text is being skipped
	level  bool
	target string
	anchor strings.Builder
}

func (h *htmlWriter) start(t html.Token) {
	switch t.DataAtom {
	case atom.Script, atom.Style, atom.Title:
		if t.Type == html.StartTagToken {
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

func (h *htmlWriter) stop(a atom.Atom) {
	switch a {
	case h.skip:
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
