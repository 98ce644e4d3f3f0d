package sitemaps

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"strings"

	"millrace/consumers/listing"
	"millrace/schema"
)

// parseXML reads urlset, sitemapindex, and the feeds that sitemaps.org allows in their place. It
// stops where the document breaks off or a limit is reached.
func (o Options) parseXML(text []byte) (found, error) {
	p := parser{o: o, xml: listing.NewXML(text, o.MaxDepth), size: len(text)}
	for !p.found.full {
		tok, err := p.xml.Next()
		if err != nil {
			return p.end(err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if !p.rooted && !p.root(strings.ToLower(t.Name.Local)) {
				return found{}, errNot
			}
			p.start(t)
			if p.elements++; p.elements > o.MaxElements {
				p.found.full = true
			}
		case xml.CharData:
			p.read(t)
		case xml.EndElement:
			p.closed()
		}
	}
	return p.found, nil
}

// root checks the name of the first element; false = not a sitemap.
func (p *parser) root(name string) bool {
	switch name {
	case "urlset", "sitemapindex":
		p.rooted = true
	case "rss", "rdf", "feed":
		p.rooted, p.isFeed = true, true
	}
	return p.rooted
}

// kindOf is the kind of URL that an element lists; KIND_UNSPECIFIED if it is no entry.
func (p *parser) kindOf(name string) schema.Kind {
	switch {
	case name == "url" && !p.isFeed, (name == "item" || name == "entry") && p.isFeed:
		return schema.Kind_PAGE
	case name == "sitemap" && !p.isFeed:
		return schema.Kind_SITEMAP
	}
	return schema.Kind_KIND_UNSPECIFIED
}

// maxValue is the most bytes of text of an element: a longer text is neither a URL nor a date.
const maxValue = schema.MaxRawURLBytes

// parser holds the open entry, and the open value in it.
//
// It is large because the format has several values that may be open at a time.
type parser struct {
	o        Options
	xml      *listing.XML
	size     int  // of the document
	rooted   bool // the first element was seen
	isFeed   bool
	found    found
	locs     int // entries without alternates
	elements int

	entry      listing.Entry
	entryDepth int // 0 = none is open
	field      string
	fieldDepth int // 0 = none is open
	text       []byte
	textEnd    int // offset after the last text of the value
	inNews     bool
}

func (p *parser) start(t xml.StartElement) {
	if p.fieldDepth > 0 { // elements inside a value are ignored
		return
	}
	name := strings.ToLower(t.Name.Local)
	if kind := p.kindOf(name); kind != schema.Kind_KIND_UNSPECIFIED {
		p.begin(kind)
		return
	}
	switch below := p.xml.Depth() - p.entryDepth; {
	case p.entryDepth == 0:
	case below == 1:
		p.child(name, t)
	case below == 2 && p.inNews && name == "publication_date":
		p.open("published")
	}
}

// child opens the value of an element directly below an entry.
func (p *parser) child(name string, t xml.StartElement) {
	switch name {
	case "loc":
		p.open("loc")
	case "lastmod", "updated":
		p.open("lastmod")
	case "published", "pubdate":
		p.open("published")
	case "link":
		p.link(t)
	case "news":
		p.inNews = true
	}
}

// begin opens an entry. An entry that is still open lacks its end tag and is closed first.
func (p *parser) begin(kind schema.Kind) {
	if p.entryDepth > 0 {
		p.xml.Lift(p.entryDepth)
		p.flush()
	}
	p.entry, p.entryDepth = listing.Entry{Kind: kind}, p.xml.Depth()
}

func (p *parser) open(field string) {
	p.field, p.fieldDepth, p.text, p.textEnd = field, p.xml.Depth(), p.text[:0], 0
}

// link reads an alternate of a URL in a sitemap, or the address of an entry in a feed.
func (p *parser) link(t xml.StartElement) {
	var href, rel string
	for _, a := range t.Attr {
		switch strings.ToLower(a.Name.Local) {
		case "href":
			href = a.Value
		case "rel":
			rel = strings.ToLower(a.Value)
		}
	}
	switch {
	case p.isFeed && href == "": // RSS
		p.open("loc")
	case rel != "alternate" && (rel != "" || !p.isFeed) || href == "":
	case p.isFeed:
		p.entry.Ref = cmp.Or(p.entry.Ref, href)
	case len(p.found.entries)-p.locs < p.o.MaxAlternates:
		p.found.entries = append(p.found.entries, listing.Entry{Ref: href, Kind: schema.Kind_PAGE})
	default:
		p.found.over++ // read on: more pages may follow
	}
}

// read takes the text of the open value. An address directly in an entry, without a loc element,
// counts as its loc.
func (p *parser) read(text []byte) {
	switch {
	case p.fieldDepth > 0:
		if len(p.text)+len(text) <= maxValue {
			p.text, p.textEnd = append(p.text, text...), p.xml.Offset()
		}
	case p.entryDepth > 0 && p.xml.Depth() == p.entryDepth && p.entry.Ref == "" && p.xml.Offset() < p.size:
		if ref := bytes.TrimSpace(text); len(ref) <= maxValue && bytes.Contains(ref, []byte("://")) {
			p.entry.Ref = string(ref)
		}
	}
}

// closed ends the value or entry that an end tag closed.
func (p *parser) closed() {
	depth := p.xml.Depth()
	if p.fieldDepth > depth {
		p.take()
	}
	if p.inNews && depth <= p.entryDepth {
		p.inNews = false
	}
	if p.entryDepth > depth {
		p.flush()
	}
}

// take ends a value and stores it in the entry.
func (p *parser) take() {
	value := strings.TrimSpace(string(p.text))
	p.fieldDepth = 0
	switch {
	case value == "":
	case p.field == "loc":
		p.address(value)
	case p.field == "lastmod":
		p.entry.Lastmod = date(value)
	case p.field == "published":
		p.entry.Published = date(value)
	}
}

// address sets the entry's URL. A second URL in the same entry begins another entry.
func (p *parser) address(ref string) {
	if p.entry.Ref != "" {
		kind, depth := p.entry.Kind, p.entryDepth
		p.flush()
		p.entry, p.entryDepth = listing.Entry{Kind: kind}, depth
	}
	p.entry.Ref = ref
}

// flush ends an entry and keeps it if it has a URL.
func (p *parser) flush() {
	e := p.entry
	p.entry, p.entryDepth, p.inNews = listing.Entry{}, 0, false
	switch {
	case e.Ref == "":
	case p.locs == p.o.MaxURLs:
		p.found.full = true
	default:
		p.locs++
		p.found.entries = append(p.found.entries, e)
	}
}

// end keeps what was read before a document broke off. The last value is kept only if its text was
// complete.
func (p *parser) end(err error) (found, error) {
	if !p.rooted {
		return found{}, errNot
	}
	if p.fieldDepth > 0 && p.textEnd > 0 && p.textEnd < p.size {
		p.take()
	}
	p.flush()
	if errors.Is(err, listing.ErrDepth) {
		return p.found, err
	}
	return p.found, nil
}
