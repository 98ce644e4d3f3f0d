package listing

import (
	"bytes"
	"encoding/xml"
	"errors"
	"strings"
)

// ErrDepth says that elements are nested deeper than in any honest document.
var ErrDepth = errors.New("elements are nested too deep")

// XML walks through the tags of a document that need not be well formed: unknown entities stay as
// they are, so nothing outside is ever read, and an end tag closes all that was opened after its
// start tag.
type XML struct {
	dec  *xml.Decoder
	open []string // as written, with prefix
	most int
}

// NewXML returns a walk that allows most open elements.
func NewXML(text []byte, most int) *XML {
	dec := xml.NewDecoder(bytes.NewReader(text))
	dec.Strict = false
	return &XML{dec: dec, most: most}
}

// Next returns the next token; its bytes are good until the next call. An element counts as open
// from its start tag on, and no more at its end tag. An end tag that closes nothing is left out.
func (x *XML) Next() (xml.Token, error) {
	for {
		tok, err := x.dec.RawToken()
		if err != nil {
			return nil, err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if len(x.open) == x.most {
				return nil, ErrDepth
			}
			x.open = append(x.open, written(t.Name))
		case xml.EndElement:
			if !x.close(written(t.Name)) {
				continue
			}
		}
		return tok, nil
	}
}

func (x *XML) close(name string) bool {
	for i := len(x.open) - 1; i >= 0; i-- {
		if x.open[i] == name {
			x.open = x.open[:i]
			return true
		}
	}
	return false
}

// Depth is the number of open elements.
func (x *XML) Depth() int { return len(x.open) }

// Lift closes all that stands between depth and the innermost element, which stands at depth then.
func (x *XML) Lift(depth int) {
	last := x.open[len(x.open)-1]
	x.open = append(x.open[:depth-1], last)
}

// Offset is how many bytes were read.
func (x *XML) Offset() int { return int(x.dec.InputOffset()) }

// EndTags are those of all open elements.
func (x *XML) EndTags() string {
	var b strings.Builder
	for i := len(x.open) - 1; i >= 0; i-- {
		b.WriteString("</" + x.open[i] + ">")
	}
	return b.String()
}

func written(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}
