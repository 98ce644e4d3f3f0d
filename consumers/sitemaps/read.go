package sitemaps

import (
	"bytes"
	"cmp"
	"errors"
	"strings"

	"millrace/consumers/listing"
	"millrace/schema"
)

// read lists the URLs of a page that should be a sitemap. What it cannot read it drops with a
// reason.
func (g *Sitemaps) read(p *schema.Page, at schema.URL) *listing.List {
	list := listing.NewList(g.canon, g.opts.MaxURLs+g.opts.MaxAlternates)
	list.Only(cmp.Or(schema.Site(p.Site), at.Site()))
	body, err := listing.Body(p, g.opts.MaxBytes)
	if err != nil {
		list.Drop(listing.Encoding, 1)
		return list
	}
	found, err := g.opts.parse(listing.Text(body, p.ContentType))
	switch {
	case errors.Is(err, listing.ErrDepth):
		list.Drop(listing.Depth, 1)
	case err != nil:
		list.Drop(listing.NotListing, 1)
	}
	if found.full {
		found.over++
	}
	if found.over > 0 {
		list.Drop(listing.OverCap, found.over)
	}
	for _, e := range found.entries {
		e.Ref = withScheme(e.Ref, at)
		list.Add(schema.URL{}, e)
	}
	return list
}

// found is the list of a document, before its URLs are resolved.
type found struct {
	entries []listing.Entry
	over    int  // alternates beyond the cap
	full    bool // a limit was reached: the rest was not read
}

// errNot means that a document is not a sitemap.
var errNot = errors.New("no sitemap")

// parse reads a sitemap in XML or plain text.
func (o Options) parse(text []byte) (found, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("<")) {
		return o.parseXML(text)
	}
	return o.parsePlain(text)
}

// parsePlain reads one URL a line. A text without any "://" is not a sitemap.
func (o Options) parsePlain(text []byte) (found, error) {
	var f found
	isOne := false
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || len(line) > schema.MaxRawURLBytes || bytes.ContainsAny(line, " \t") {
			continue
		}
		if f.full = len(f.entries) == o.MaxURLs; f.full {
			break
		}
		isOne = isOne || bytes.Contains(line, []byte("://"))
		f.entries = append(f.entries, listing.Entry{Ref: string(line), Kind: schema.Kind_PAGE})
	}
	if !isOne {
		return found{}, errNot
	}
	return f, nil
}

// withScheme adds the scheme to a URL like www.example.com/a, if the host is the sitemap's own.
// Other relative URLs stay as they are and are dropped.
func withScheme(ref string, at schema.URL) string {
	ref = strings.TrimSpace(ref)
	if n := len(at.Authority()); len(ref) > n && ref[n] == '/' && strings.EqualFold(ref[:n], at.Authority()) {
		return at.Scheme() + "://" + ref
	}
	return ref
}
