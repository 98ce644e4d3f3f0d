package world

import (
	"strconv"
	"strings"
	"time"

	"millrace/ops/simweb/draw"
)

// Body appends the body of an answer. Answers without one (redirects, errors)
// get a line of text, as servers do.
func (w *World) Body(dst []byte, a *Answer) []byte {
	switch {
	case a.Status != 200:
		return append(dst, "<!doctype html><title>"+strconv.Itoa(a.Status)+"</title>\n"...)
	case a.Type == "application/pdf":
		return w.renderPDF(dst, a)
	case a.Type == "image/png":
		return renderPNG(dst)
	}
	switch a.Ref.Page.Space() {
	case Robots:
		return w.renderRobots(dst, a)
	case Feed:
		return w.renderFeed(dst, a)
	case Sitemap:
		if a.Type == "application/gzip" {
			return gzipped(dst, w.renderSitemap(nil, a))
		}
		return w.renderSitemap(dst, a)
	}
	return w.renderHTML(dst, a)
}

func (w *World) renderHTML(dst []byte, a *Answer) []byte {
	var buf [64]Link
	links := w.Links(buf[:0], a)
	dst = w.renderHead(dst, a, links)
	dst = append(dst, "<body>\n<nav><ul>\n"...)
	for i := range links {
		if links[i].Nav {
			dst = w.renderLink(dst, a, &links[i])
		}
	}
	dst = append(dst, "</ul></nav>\n<main><article>\n<h1>"...)
	dst = w.appendTitle(dst, a.Source.Host, a.Source.Page)
	dst = append(dst, "</h1>\n"...)
	dst = w.renderArticle(dst, a)
	dst = append(dst, "</article></main>\n<aside><ul>\n"...)
	for i := range links {
		if !links[i].Nav && !links[i].Refresh {
			dst = w.renderLink(dst, a, &links[i])
		}
	}
	return append(dst, "</ul></aside>\n<footer><p>(c)</p></footer>\n</body></html>\n"...)
}

// bytesPerLink is about the length of a link with its markup, bytesOfFrame that
// of what else stands around the article.
const (
	bytesPerLink = 90
	bytesOfFrame = 500
)

// articleSize is the length of a page's article: the page's length less what
// stands around it on average. It depends on the text's source alone, so that
// every URL of a page, and every copy, shows the same text.
func (w *World) articleSize(a *Answer) int {
	p := w.p.Size
	if a.Role == Huge {
		return p.Max
	}
	around := bytesOfFrame + w.p.Links.Mean*bytesPerLink
	s := draw.NewStream(w.hash(forSize, uint64(a.Source.Host), uint64(a.Source.Of)))
	page := max(float64(p.Min), min(s.LogNormal(float64(p.Median), p.Sigma), float64(p.Max)))
	return int(page) - around
}

func (w *World) renderHead(dst []byte, a *Answer, links []Link) []byte {
	dst = append(dst, "<!doctype html>\n<html lang=\""...)
	dst = append(dst, w.pageLang(a.Source.Host, a.Source.Page).Code()...)
	dst = append(dst, "\"><head><meta charset=\"utf-8\"><title>"...)
	dst = w.appendTitle(dst, a.Source.Host, a.Source.Page)
	dst = append(dst, "</title>\n"...)
	if a.HasCanon {
		dst = w.AppendURL(append(dst, `<link rel="canonical" href="`...), a.Canonical, a.Port)
		dst = append(dst, "\">\n"...)
	}
	dst = w.renderAlternates(dst, a)
	if a.NoIndex {
		dst = append(dst, "<meta name=\"robots\" content=\"noindex\">\n"...)
	}
	if a.Born > 0 && a.Role != Listing && a.Role != Trap {
		dst = append(dst, `<meta property="article:published_time" content="`...)
		dst = time.Unix(0, a.Born).UTC().AppendFormat(dst, time.RFC3339)
		dst = append(dst, "\">\n"...)
	}
	if a.Ref.Page == 0 && w.HasItems(a.Ref.Host) {
		dst = append(dst, `<link rel="alternate" type="application/rss+xml" href="/feed.rss">`+"\n"+
			`<link rel="alternate" type="application/atom+xml" href="/feed.atom">`+"\n"...)
	}
	for i := range links {
		if links[i].Refresh {
			dst = append(dst, `<meta http-equiv="refresh" content="0; url=`...)
			dst = append(w.AppendURL(dst, links[i].To, a.Port), "\">\n"...)
		}
	}
	return append(dst, "</head>\n"...)
}

func (w *World) appendTitle(dst []byte, h Host, id PageID) []byte {
	switch {
	case id.Space() == Unknown:
		return append(dst, "Nothing here"...)
	case id.Space() >= Hop:
		dst = append(append(dst, w.HostName(h)...), ' ')
		return strconv.AppendUint(dst, id.Index(), 10)
	}
	m := w.models[w.pageLang(h, id)]
	return m.Title(dst, w.textSeed(h, id), w.topic(h, id))
}

// topic of a page: six of eight pages have their host's.
func (w *World) topic(h Host, id PageID) int {
	if id.Space() == Translation {
		id = original(id)
	}
	x := w.hash(forTopic, uint64(h), uint64(id), 1)
	if x&7 < 6 {
		return int(w.hash(forTopic, uint64(h)) % 12)
	}
	return int(x >> 8 % 12)
}

// renderArticle appends paragraphs up to the article's size, at least one.
func (w *World) renderArticle(dst []byte, a *Answer) []byte {
	if a.Source.Page.Space() == Unknown {
		return append(dst, "<p>The page you asked for is not here. Try the home page.</p>\n"...)
	}
	m := w.models[w.pageLang(a.Source.Host, a.Source.Page)]
	topic := w.topic(a.Source.Host, a.Source.Of)
	start, size := len(dst), w.articleSize(a)
	for i := uint64(0); i == 0 || len(dst)-start < size; i++ {
		dst = append(dst, "<p>"...)
		dst = m.Paragraph(dst, w.paragraphSeed(a, i), topic)
		dst = append(dst, "</p>\n"...)
	}
	return dst
}

// paragraphSeed says which text a paragraph is taken from: the original's, for a
// near-duplicate's shared part, or the page's own; the first one is new after
// every change.
func (w *World) paragraphSeed(a *Answer, i uint64) uint64 {
	s := a.Source
	own := w.textSeed(s.Host, s.Page)
	switch {
	case i == 0 && a.Version != 0:
		own ^= uint64(a.Version)
	case s.Of != s.Page && draw.Unit(draw.Hash(own, uint64(forNear), i)) < s.Share:
		own = w.textSeed(s.Host, s.Of)
	}
	return draw.Hash(own, i)
}

func (w *World) renderLink(dst []byte, a *Answer, l *Link) []byte {
	dst = append(dst, `<li><a href="`...)
	dst = w.appendHref(dst, a, l)
	dst = append(dst, `">`...)
	dst = w.appendAnchor(dst, l)
	return append(dst, "</a></li>\n"...)
}

// appendAnchor writes the title of the page a link leads to.
func (w *World) appendAnchor(dst []byte, l *Link) []byte {
	id := l.To.Page
	switch id.Space() {
	case Item:
	case Tree:
		if s := w.source(l.To.Host, id, w.role(l.To.Host, id.Index())); s.Page != id {
			return w.appendTitle(dst, s.Host, s.Page)
		}
	default:
		return append(dst, "More"...)
	}
	return w.appendTitle(dst, l.To.Host, id)
}

// appendHref writes a link's href: a path if scheme and host are the page's,
// else the whole URL; odd ones in another spelling of the same URL.
func (w *World) appendHref(dst []byte, a *Answer, l *Link) []byte {
	const authority = HTTPS | WWW
	local := l.To.Host == a.Ref.Host && l.To.Form&authority == a.Ref.Form&authority
	if l.Odd > 0 {
		return append(dst, w.oddHref(a, l)...)
	}
	start := len(dst)
	switch {
	case l.Target != "" && local:
		dst = append(dst, l.Target...)
	case l.Target != "":
		dst = append(dst, w.linkURL(*l, a.Port)...)
	case local:
		dst = w.appendTarget(dst, l.To)
	default:
		dst = w.AppendURL(dst, l.To, a.Port)
	}
	return escapeAmp(dst, start)
}

// escapeAmp writes & as HTML wants it.
func escapeAmp(dst []byte, start int) []byte {
	for i := start; i < len(dst); i++ {
		if dst[i] == '&' {
			tail := string(dst[i+1:])
			dst = append(append(dst[:i], "&amp;"...), tail...)
			i += len("&amp;") - 1
		}
	}
	return dst
}

func (w *World) oddHref(a *Answer, l *Link) string {
	url := strings.ReplaceAll(w.URL(l.To, a.Port), "&", "&amp;")
	scheme, rest, _ := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	switch l.Odd {
	case 1:
		return url + "#part-2"
	case 2:
		return scheme + "://" + host + "/./" + path
	case 3:
		return scheme + "://" + host + "/up/../" + path
	case 4:
		return strings.ToUpper(scheme) + "://" + strings.ToUpper(host) + "/" + path
	}
	if l.To.Form&HTTPS == a.Ref.Form&HTTPS {
		return "//" + host + "/" + path
	}
	return " \n" + url + "\t"
}
