package page

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/charset"
	"millrace/consumers/extract/plain"
	"millrace/schema"
)

// collector collects the links of a page, each target once; the first anchor with words is kept.
type collector struct {
	canon *schema.Canonicalizer
	opts  *Options
	page  schema.URL // links to the page itself are left out
	base  schema.URL
	index map[schema.URL]int
	links []Link
	cut   int
	text  plain.Builder
	chars encoding.Encoding // of the page, if it is not one of Unicode
}

func newCollector(canon *schema.Canonicalizer, page, base schema.URL, opts *Options) *collector {
	return &collector{canon: canon, opts: opts, page: page, base: base, index: make(map[schema.URL]int, 64)}
}

// add adds one link; links beyond MaxLinks are only counted.
func (c *collector) add(ref string, kind LinkKind, anchor string, rel Rel) {
	target, ok := c.resolve(ref)
	if !ok || target == c.page {
		return
	}
	if i, seen := c.index[target]; seen {
		c.merge(&c.links[i], kind, anchor, rel)
		return
	}
	if len(c.links) >= c.opts.MaxLinks {
		c.cut++
		return
	}
	c.index[target] = len(c.links)
	c.links = append(c.links, Link{URL: target, Kind: kind, Anchor: anchor, Rel: rel})
}

// merge joins two links to one target. A link is nofollow only if all are. A link that is a feed
// once stays a feed.
func (c *collector) merge(l *Link, kind LinkKind, anchor string, rel Rel) {
	if l.Anchor == "" {
		l.Anchor = anchor
	}
	l.Rel &= rel
	l.Kind = max(l.Kind, kind)
}

func (c *collector) resolve(ref string) (schema.URL, bool) {
	ref = strings.TrimSpace(ref)
	if ref == "" || ref[0] == '#' || hasForeignScheme(ref) {
		return schema.URL{}, false
	}
	if c.chars != nil {
		ref = encodeQuery(ref, c.chars)
	}
	u, err := c.canon.Resolve(c.base, ref)
	return u, err == nil
}

// queryEncoding returns the encoding in which the queries of a page's links go to the server; nil
// if it is UTF-8, as it is for the encodings of Unicode (URL standard, 4.4), and for a page whose
// encoding nothing indicates.
func queryEncoding(t charset.Text) encoding.Encoding {
	if t.Source == charset.FromDefault || t.Source == charset.FromUTF8 || strings.HasPrefix(t.Name, "utf-") || t.Name == "iso-2022-jp" {
		return nil
	}
	e, err := htmlindex.Get(t.Name)
	if err != nil {
		return nil
	}
	return e
}

// encodeQuery writes the characters of a query that are not ASCII as bytes of an encoding. One that
// the encoding does not have becomes a reference by its number, as in browsers.
func encodeQuery(ref string, chars encoding.Encoding) string {
	before, query, ok := strings.Cut(ref, "?")
	if !ok || strings.Contains(before, "#") || isASCII(query) {
		return ref
	}
	query, fragment, _ := strings.Cut(query, "#")
	out := []byte(before + "?")
	e := chars.NewEncoder()
	for _, r := range query {
		if r < utf8.RuneSelf {
			out = append(out, byte(r))
			continue
		}
		e.Reset()
		b, err := e.Bytes(utf8.AppendRune(nil, r))
		if err != nil {
			out = fmt.Appendf(out, "%%26%%23%d%%3B", r)
			continue
		}
		for _, c := range b {
			out = fmt.Appendf(out, "%%%02X", c)
		}
	}
	if fragment != "" {
		out = append(append(out, '#'), fragment...)
	}
	return string(out)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hasForeignScheme recognises the most common links that are no web addresses, without parsing
// them.
func hasForeignScheme(ref string) bool {
	for _, scheme := range []string{"javascript:", "mailto:", "tel:", "data:", "whatsapp:", "about:"} {
		if len(ref) >= len(scheme) && strings.EqualFold(ref[:len(scheme)], scheme) {
			return true
		}
	}
	return false
}

// anchor reads <a> and <area>.
func (c *collector) anchor(n *html.Node) {
	ref := attr(n, "href")
	if ref == "" {
		return
	}
	kind := PageLink
	if isFeedType(attr(n, "type")) {
		kind = FeedLink
	}
	c.add(ref, kind, c.anchorText(n), relBits(attr(n, "rel")))
}

// frame reads addresses that a page shows inside itself: frames and iframes, and files in object
// and embed. Invisible frames are left out: they count visitors.
func (c *collector) frame(n *html.Node) {
	ref, kind := attr(n, "src"), strings.ToLower(attr(n, "type"))
	switch {
	case n.DataAtom == atom.Object:
		ref = attr(n, "data")
		fallthrough
	case n.DataAtom == atom.Embed:
		if !strings.HasPrefix(kind, "application/pdf") && !strings.HasPrefix(kind, "text/html") {
			return
		}
	case n.DataAtom == atom.Iframe && (article.IsHidden(n) || isTiny(attr(n, "width")) || isTiny(attr(n, "height"))):
		return
	}
	c.add(ref, PageLink, plain.Cut(plain.Clean(attr(n, "title")), c.opts.MaxAnchor), 0)
}

// isTiny reports whether a length is at most one pixel.
func isTiny(length string) bool {
	length = strings.TrimSuffix(strings.TrimSpace(strings.ToLower(length)), "px")
	return length == "0" || length == "1"
}

// anchorText returns what the link shows: its text, else the words of its image, else its title.
func (c *collector) anchorText(n *html.Node) string {
	c.text.Reset()
	c.gather(n)
	if c.text.Len() == 0 {
		c.text.WriteString(attr(n, "alt"))
	}
	if c.text.Len() == 0 {
		c.text.WriteString(attr(n, "aria-label"))
	}
	if c.text.Len() == 0 {
		c.text.WriteString(attr(n, "title"))
	}
	return strings.TrimSpace(plain.Cut(c.text.String(), c.opts.MaxAnchor))
}

func (c *collector) gather(n *html.Node) {
	for ch := n.FirstChild; ch != nil && c.text.Len() < c.opts.MaxAnchor; ch = ch.NextSibling {
		switch {
		case ch.Type == html.TextNode:
			c.text.WriteString(ch.Data)
		case ch.Type != html.ElementNode:
		case ch.DataAtom == atom.Img:
			c.text.Space()
			c.text.WriteString(attr(ch, "alt"))
			c.text.Space()
		case ch.DataAtom != atom.Script && ch.DataAtom != atom.Style && ch.DataAtom != atom.Svg:
			c.gather(ch)
		}
	}
}

// link reads <link> elements and Link headers; those that lead to no other page (styles, icons) are
// ignored.
func (c *collector) link(rel, ref, mediaType, hreflang string) {
	kind := PageLink
	for word := range strings.FieldsSeq(strings.ToLower(rel)) {
		switch word {
		case "alternate":
			if isFeedType(mediaType) {
				kind = FeedLink
			} else if hreflang == "" {
				return
			}
		case "feed":
			kind = FeedLink
		case "sitemap":
			kind = SitemapLink
		case "canonical", "next", "prev", "previous", "first", "last", "start", "up", "contents", "index", "chapter", "section":
		default:
			return
		}
	}
	if rel != "" {
		c.add(ref, kind, "", 0)
	}
}

// refresh reads <meta http-equiv=refresh content="5; url=...">. Between the seconds and the address
// there may be a semicolon, a comma or only a space (HTML standard, 4.2.5.3).
func (c *collector) refresh(content string) {
	rest := strings.TrimLeft(strings.TrimSpace(content), "0123456789.")
	if rest == "" || !strings.ContainsRune(";, \t\r\n", rune(rest[0])) {
		return
	}
	rest = strings.TrimSpace(strings.TrimLeft(rest, ";, \t\r\n"))
	if len(rest) >= 3 && strings.EqualFold(rest[:3], "url") {
		if after, ok := strings.CutPrefix(strings.TrimSpace(rest[3:]), "="); ok {
			rest = strings.TrimSpace(after)
		}
	}
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		rest, _, _ = strings.Cut(rest[1:], rest[:1])
	}
	c.add(strings.TrimSpace(rest), PageLink, "", RelMetaRefresh)
}

func relBits(rel string) Rel {
	if rel == "" {
		return 0
	}
	var bits Rel
	for word := range strings.FieldsSeq(strings.ToLower(rel)) {
		switch word {
		case "nofollow":
			bits |= RelNoFollow
		case "ugc":
			bits |= RelUGC
		case "sponsored":
			bits |= RelSponsored
		}
	}
	return bits
}

func isFeedType(mediaType string) bool {
	t, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	switch strings.TrimSpace(t) {
	case "application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml", "text/rss+xml", "application/rss":
		return true
	}
	return false
}
