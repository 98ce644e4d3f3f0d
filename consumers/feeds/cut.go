package feeds

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"millrace/consumers/listing"
)

// errNot means that a document is not a feed.
var errNot = errors.New("no feed")

// errCut means that a limit was reached.
var errCut = errors.New("over a limit")

// cutter reads through the XML of a feed and finds the part that gofeed may parse.
type cutter struct {
	Options
	xml      *listing.XML
	root     string // name of the first element
	items    int
	elements int
	spaces   []int // namespaces in scope at each depth
	item     int   // depth of the open item, 0 = none
	whole    int   // offset after the last complete item
	tail     string
}

// cut returns the part of a feed that is within the limits, as a document with all its end tags,
// and the name of its first element. With the error of a limit the part is valid too. Without a
// feed, or without a complete item in one that breaks off, the part is nil.
func (o Options) cut(text []byte) (part []byte, root string, err error) {
	c := cutter{Options: o, xml: listing.NewXML(text, o.MaxDepth)}
	err = c.walk()
	switch {
	case c.root == "":
		return nil, "", errNot
	case err == io.EOF && c.xml.Depth() == 0:
		return text, c.root, nil
	case !errors.Is(err, errCut) && !errors.Is(err, listing.ErrDepth): // it breaks off, which is not one of our limits
		err = nil
	}
	if c.whole == 0 {
		return nil, "", cmp.Or(err, errNot)
	}
	return append(bytes.Clone(text[:c.whole]), c.tail...), c.root, err
}

// walk reads until an error; io.EOF is the end of the document.
func (c *cutter) walk() error {
	for {
		tok, err := c.xml.Next()
		if err != nil {
			return err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if err := c.start(t); err != nil {
				return err
			}
		case xml.EndElement:
			c.end()
		}
	}
}

func (c *cutter) start(t xml.StartElement) error {
	name := strings.ToLower(t.Name.Local)
	if c.root == "" {
		if name != "rss" && name != "rdf" && name != "feed" {
			return errNot
		}
		c.root = name
	}
	if c.elements++; c.elements > c.MaxElements || c.declared(t) > c.MaxNamespaces {
		return errCut
	}
	if c.item == 0 && (name == "item" || name == "entry") {
		if c.items++; c.items > c.MaxItems {
			return errCut
		}
		c.item = c.xml.Depth()
	}
	return nil
}

// declared counts the namespaces in scope of an element: gofeed copies all of them for each element
// that declares another one.
func (c *cutter) declared(t xml.StartElement) int {
	above, n := c.xml.Depth()-1, 0
	if above > 0 {
		n = c.spaces[above-1]
	}
	for _, a := range t.Attr {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
			n++
		}
	}
	c.spaces = append(c.spaces[:above], n)
	return n
}

func (c *cutter) end() {
	if c.item > c.xml.Depth() {
		c.item, c.whole, c.tail = 0, c.xml.Offset(), c.xml.EndTags()
	}
}
