package feeds

import (
	"bytes"
	"errors"

	"millrace/consumers/listing"
	"millrace/schema"
)

// entry is an item of a feed, as written.
type entry struct {
	link               string
	published, updated int64
}

// feed is the content of a parsed document.
type feed struct {
	base    string // base of its relative links; "" = the feed's own URL
	entries []entry
	says    listing.Says
}

// read lists the items of a page that should be a feed. What it cannot read it drops with a reason.
func (g *Feeds) read(p *schema.Page, at schema.URL) *listing.List {
	list := listing.NewList(g.canon, g.opts.MaxItems)
	body, err := listing.Body(p, g.opts.MaxBytes)
	if err != nil {
		list.Drop(listing.Encoding, 1)
		return list
	}
	f, err := g.opts.parse(listing.Text(body, p.ContentType))
	switch {
	case errors.Is(err, listing.ErrDepth):
		list.Drop(listing.Depth, 1)
	case errors.Is(err, errCut):
		list.Drop(listing.OverCap, 1)
	case err != nil:
		list.Drop(listing.NotListing, 1)
	}
	list.Say(f.says)
	base := at
	if u, err := g.canon.Resolve(at, f.base); err == nil && f.base != "" {
		base = u
	}
	for _, e := range f.entries {
		if e.link == "" {
			list.Drop(schema.ErrEmpty, 1)
			continue
		}
		list.Add(base, listing.Entry{Ref: e.link, Kind: schema.Kind_PAGE, Published: e.published, Lastmod: e.updated})
	}
	return list
}

// parse reads a feed. With the error of a limit it also returns what was read before.
func (o Options) parse(text []byte) (feed, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return o.parseJSON(text)
	}
	text, root, limit := o.cut(text)
	if text == nil {
		return feed{}, limit
	}
	f, err := parseXML(text, root)
	if err != nil {
		return feed{}, err
	}
	return f, limit
}
