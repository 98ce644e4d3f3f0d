package extract

import (
	"millrace/consumers/extract/page"
	"millrace/schema"
)

// links cuts a page's links into one message per target host, in the order in which the hosts appear, and a message into
// several where it would pass its cap. Every message carries its share of the page's cash: score x its links / all links.
func (w *Worker) links(p *schema.Page, r *page.Result) []*schema.Discovered {
	var order []schema.Host
	byHost := make(map[schema.Host][]*schema.Link, 8)
	for i := range r.Links {
		l := &r.Links[i]
		key := l.URL.RowKey()
		host := key.Host()
		if byHost[host] == nil {
			order = append(order, host)
		}
		byHost[host] = append(byHost[host], &schema.Link{Path: key.Path(), Kind: kind(l.Kind), Anchor: l.Anchor, Rel: uint32(l.Rel)})
	}
	var out []*schema.Discovered
	for _, host := range order {
		for _, part := range w.split(byHost[host]) {
			out = append(out, discovered(host, p, &schema.Discovered_Links{Links: &schema.Links{
				SourceRowKey: p.RowKey, SourceSite: p.Site, SourceRev: p.Rev, Depth: p.Depth + 1,
				Cash: p.Score * float64(len(part)) / float64(len(r.Links)), Nofollow: r.Directives.NoFollow, Links: part,
			}}))
		}
	}
	return out
}

// perLink is what a link costs in a message beside its strings: tags, lengths, kind, bits.
const perLink = 20

// split cuts links into runs below MaxLinksBytes.
func (w *Worker) split(links []*schema.Link) [][]*schema.Link {
	var out [][]*schema.Link
	start, size := 0, 0
	for i, l := range links {
		n := len(l.Path) + len(l.Anchor) + perLink
		if size+n > w.opts.MaxLinksBytes-minLinksBytes/2 && i > start {
			out = append(out, links[start:i])
			start, size = i, 0
		}
		size += n
	}
	return append(out, links[start:])
}

func kind(k page.LinkKind) schema.Kind {
	switch k {
	case page.FeedLink:
		return schema.Kind_FEED
	case page.SitemapLink:
		return schema.Kind_SITEMAP
	}
	return schema.Kind_PAGE
}

// discovered wraps a body for a host's partition. Its time is the page's: the same page tells the same.
func discovered[B interface {
	*schema.Discovered_Links | *schema.Discovered_Digest
}](host schema.Host, p *schema.Page, body B) *schema.Discovered {
	d := &schema.Discovered{Host: string(host), DiscoveredAt: p.FetchedAt}
	switch b := any(body).(type) {
	case *schema.Discovered_Links:
		d.Body = b
	case *schema.Discovered_Digest:
		d.Body = b
	}
	return d
}
