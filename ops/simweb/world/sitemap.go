package world

import (
	"time"

	"millrace/ops/simweb/draw"
)

// Sitemaps: index 0 lists the parts; part 1 holds the items (newest
// sitemapItems), part 2+k the tree pages from k * per_file on.
const (
	sitemapItems = 1000           // what a news sitemap may name
	newsAge      = 48 * time.Hour // older items do not belong into a news sitemap
)

// HasSitemap says whether a host has a sitemap.
func (w *World) HasSitemap(h Host) bool { return w.trait(h, traitSitemap, w.p.Sitemaps.Share) }

// sitemapParts is one above the number of the last part.
func (w *World) sitemapParts(h Host) uint64 {
	per := uint64(w.p.Sitemaps.PerFile)
	return 2 + (w.Pages(h)+per-1)/per
}

// hasNewsSitemap says whether a host's items are in a Google news sitemap, which
// names those of the last two days, with title, language and publication date.
func (w *World) hasNewsSitemap(h Host) bool { return w.trait(h, traitNewsSitemap, w.p.Sitemaps.News) }

// SitemapEntry is a URL of a sitemap.
type SitemapEntry struct {
	Ref Ref
	Mod int64 // 0: none given
}

func (w *World) answerSitemap(a *Answer) {
	a.Type = "application/xml"
	if a.Ref.Page.Index() > 0 && w.trait(a.Ref.Host, traitSitemapGzip, w.p.Sitemaps.Gzip) {
		a.Type = "application/gzip"
	}
	a.Modified = a.At - a.At%int64(time.Hour)
}

// SitemapFiles lists the parts a sitemap index names.
func (w *World) SitemapFiles(h Host) []Ref {
	var parts []Ref
	for k := uint64(1); k < w.sitemapParts(h); k++ {
		if k != 1 || w.HasItems(h) {
			parts = append(parts, Ref{h, w.Main(h), ID(Sitemap, k)})
		}
	}
	return parts
}

// SitemapEntries lists what a part names at t (ns since 1970).
func (w *World) SitemapEntries(h Host, part uint64, t int64) []SitemapEntry {
	main := w.Main(h)
	var list []SitemapEntry
	if part == 1 {
		for _, e := range w.newest(nil, h, sitemapItems, t) {
			if w.hasNewsSitemap(h) && t-e.at > int64(newsAge) {
				break
			}
			list = append(list, SitemapEntry{Ref{h, main, e.id}, e.at})
		}
		return list
	}
	per := uint64(w.p.Sitemaps.PerFile)
	for i := (part - 2) * per; i < min((part-1)*per, w.Pages(h)); i++ {
		if w.inSitemap(h, i, t) {
			id := ID(Tree, i)
			list = append(list, SitemapEntry{Ref{h, main, id}, w.sitemapMod(h, id, t)})
		}
	}
	if w.trait(h, traitBadFormat, w.p.Sitemaps.BadFormat) {
		list = list[:len(list)/2] // the file is cut behind these
	}
	return list
}

// inSitemap: pages with text that live, and dead URLs by the share Stale.
func (w *World) inSitemap(h Host, i uint64, t int64) bool {
	role := w.role(h, i)
	born, dies := w.life(h, ID(Tree, i))
	if role == Missing || role == Gone || t >= dies {
		return draw.Unit(w.hash(forStale, uint64(h), i)) < w.p.Sitemaps.Stale
	}
	return role.isHTML() && role != Private && born <= t
}

func (w *World) sitemapMod(h Host, id PageID, t int64) int64 {
	switch {
	case w.trait(h, traitNoMod, w.p.Sitemaps.NoMod):
		return 0
	case w.trait(h, traitFalseMod, w.p.Sitemaps.FalseMod):
		return t
	}
	s := w.source(h, id, w.role(h, id.Index()))
	born, _ := w.life(h, id)
	return max(born, w.lastChange(s.Host, s.Page, t))
}

func (w *World) renderSitemap(dst []byte, a *Answer) []byte {
	h := a.Ref.Host
	const head = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	const space = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
	if a.Ref.Page.Index() == 0 {
		dst = append(dst, head+"<sitemapindex"+space...)
		for _, r := range w.SitemapFiles(h) {
			dst = append(w.AppendURL(append(dst, "<sitemap><loc>"...), r, a.Port), "</loc></sitemap>\n"...)
		}
		return append(dst, "</sitemapindex>\n"...)
	}
	news := a.Ref.Page.Index() == 1 && w.hasNewsSitemap(h)
	dst = append(dst, head+"<urlset"...)
	if news {
		dst = append(dst, ` xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"`...)
	}
	dst = append(dst, space...)
	for _, e := range w.SitemapEntries(h, a.Ref.Page.Index(), a.At) {
		dst = append(w.AppendURL(append(dst, "<url><loc>"...), e.Ref, a.Port), "</loc>"...)
		if e.Mod != 0 {
			dst = append(dst, "<lastmod>"...)
			dst = time.Unix(0, e.Mod).UTC().AppendFormat(dst, time.RFC3339)
			dst = append(dst, "</lastmod>"...)
		}
		if news {
			dst = w.renderNews(dst, h, e)
		}
		dst = append(dst, "</url>\n"...)
	}
	if w.trait(h, traitBadFormat, w.p.Sitemaps.BadFormat) {
		return append(dst, "<url><loc>http://"...)
	}
	return append(dst, "</urlset>\n"...)
}

// renderNews writes what a news sitemap says of an item.
func (w *World) renderNews(dst []byte, h Host, e SitemapEntry) []byte {
	dst = append(dst, "<news:news><news:publication><news:name>"...)
	dst = w.appendTitle(dst, h, 0)
	dst = append(append(dst, "</news:name><news:language>"...), w.Lang(h).Code()...)
	dst = append(dst, "</news:language></news:publication><news:publication_date>"...)
	dst = time.Unix(0, e.Mod).UTC().AppendFormat(dst, time.RFC3339)
	dst = w.appendTitle(append(dst, "</news:publication_date><news:title>"...), h, e.Ref.Page)
	return append(dst, "</news:title></news:news>"...)
}
