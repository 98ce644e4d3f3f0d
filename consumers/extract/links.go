package extract

import (
	"millrace/consumers/extract/page"
	"millrace/schema"
)

// byHost gathers a page's links by target host, in the order in which the hosts appear.
func byHost(p *schema.Page, r *page.Result) []*schema.HostLinks {
	var hosts []*schema.HostLinks
	own := schema.RowKey(p.RowKey).Host()
	at := make(map[schema.Host]*schema.HostLinks, 8)
	for i := range r.Links {
		l := &r.Links[i]
		key := l.URL.RowKey()
		host := key.Host()
		h := at[host]
		if h == nil {
			h = &schema.HostLinks{Host: string(host), Site: p.Site}
			if host != own {
				h.Site = string(l.URL.Site())
			}
			at[host], hosts = h, append(hosts, h)
		}
		h.Links = append(h.Links, &schema.Link{Path: key.Path(), Kind: kind(l.Kind), Anchor: l.Anchor, Rel: uint32(l.Rel)})
	}
	return hosts
}

// maxFoundBytes bounds the links of a page that are told to the group links: what is beyond it is
// cut.
const maxFoundBytes = 1 << 20

// found are all links of a page, for the group links.
func (w *Worker) found(p *schema.Page, r *page.Result, hosts []*schema.HostLinks) *schema.Found {
	f := &schema.PageLinks{RowKey: p.RowKey, Site: p.Site, Rev: p.Rev, Edition: w.opts.Edition,
		Nofollow: r.Directives.NoFollow, At: p.FetchedAt}
	size := 0
	for _, h := range hosts {
		for _, l := range h.Links {
			size += len(l.Path) + len(l.Anchor) + perLink
		}
		if size > maxFoundBytes {
			break
		}
		f.Hosts = append(f.Hosts, h)
	}
	return &schema.Found{Body: &schema.Found_Page{Page: f}}
}

// links makes one message per target host, and several where it would pass its cap. Every message
// carries its share of the page's cash: score x its links / all links.
func (w *Worker) links(p *schema.Page, r *page.Result, hosts []*schema.HostLinks) []*schema.Discovered {
	var out []*schema.Discovered
	for _, h := range hosts {
		for _, part := range w.split(h.Links) {
			out = append(out, discovered(schema.Host(h.Host), p, &schema.Discovered_Links{Links: &schema.Links{
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

// discovered wraps a body for a host's partition. Its time is the page's: the same page tells the
// same.
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
