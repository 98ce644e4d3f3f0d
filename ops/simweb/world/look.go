package world

import (
	"strings"
	"time"
)

// Look describes the answer of a URL in terms of URLs. The truth is computed from
// it.
type Look struct {
	Role      Role
	Space     Space
	Host      Host
	Status    int
	Location  string // with a redirect
	Text      TextID // 0: no text
	Canonical string // "" if none is named
	NoIndex   bool
	PDF       bool
	Soft404   bool
	Links     []string
	// Alternates are the other languages' versions of the page, its own not among
	// them, by rel=alternate hreflang.
	Alternates []string
	Feeds      []string // of a home page
}

// Look says what a URL answers at t; ok is false if no host of the web is named.
func (w *World) Look(url string, t time.Time) (l Look, ok bool) {
	req, ok := w.ParseURL(url)
	if !ok {
		return Look{}, false
	}
	a := w.Answer(req, t)
	l = Look{
		Role: a.Role, Space: req.Ref.Page.Space(), Host: req.Ref.Host, Status: a.Status, Text: a.Text,
		NoIndex: a.NoIndex, PDF: a.Type == "application/pdf",
		Soft404: a.Status == 200 && a.Role == Missing,
	}
	if a.Status/100 == 3 {
		l.Location = w.URL(a.Location, req.Port)
	}
	if a.HasCanon {
		l.Canonical = w.URL(a.Canonical, req.Port)
	}
	for _, link := range w.Links(nil, &a) {
		l.Links = append(l.Links, w.linkURL(link, req.Port))
	}
	for _, v := range w.alternates(nil, &a) {
		if v.Page != req.Ref.Page {
			l.Alternates = append(l.Alternates, w.URL(v, req.Port))
		}
	}
	if req.Ref.Page == 0 && a.Status == 200 && w.HasItems(req.Ref.Host) {
		for i := range uint64(2) {
			feed := Ref{req.Ref.Host, req.Ref.Form & (HTTPS | WWW), ID(Feed, i)}
			l.Feeds = append(l.Feeds, w.URL(feed, req.Port))
		}
	}
	return l, true
}

func (w *World) linkURL(l Link, port string) string {
	if l.Target == "" {
		return w.URL(l.To, port)
	}
	base := w.URL(Ref{l.To.Host, l.To.Form, 0}, port)
	return strings.TrimSuffix(base, "/") + l.Target
}

// ParseURL is Parse for an absolute URL.
func (w *World) ParseURL(url string) (Request, bool) {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return Request{}, false
	}
	host, target := rest, "/"
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, target = rest[:i], rest[i:]
	}
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	return w.Parse(scheme == "https", host, target)
}

// RobotsFor returns the robots.txt of a URL's host at t.
func (w *World) RobotsFor(url string, _ time.Time) RobotsFile {
	req, ok := w.ParseURL(url)
	if !ok {
		return RobotsFile{Status: 404}
	}
	return w.RobotsOf(req.Ref.Host)
}

// Announced lists the URLs that the feeds and the sitemaps of a URL's host name
// at t, those of the feeds and sitemaps themselves not among them.
func (w *World) Announced(url string, t time.Time) (feeds, sitemaps []string) {
	req, ok := w.ParseURL(url)
	if !ok {
		return nil, nil
	}
	h, at := req.Ref.Host, t.UnixNano()
	for _, e := range w.newest(nil, h, w.p.Items.Feed, at) {
		feeds = append(feeds, w.URL(Ref{h, w.Main(h), e.id}, req.Port))
	}
	if !w.HasSitemap(h) {
		return feeds, nil
	}
	for _, part := range w.SitemapFiles(h) {
		for _, e := range w.SitemapEntries(h, part.Page.Index(), at) {
			sitemaps = append(sitemaps, w.URL(e.Ref, req.Port))
		}
	}
	return feeds, sitemaps
}
