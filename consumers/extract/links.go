package extract

import (
	"millrace/consumers/extract/page"
	"millrace/schema"
)

// byHost groups a page's links by target host, in the order in which the hosts first appear.
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

// maxFoundBytes bounds the links of a page in links.found; hosts beyond it are left out.
const maxFoundBytes = 1 << 20

// found returns the record of all links of a page, for the group links.
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

// links returns one message for each target host, or several if one would exceed MaxLinksBytes. The
// page's score is divided among its links: a message has cash = score * its links / all links.
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

// perLink is the size of a link in a message beside its strings, in bytes.
const perLink = 20

// split cuts links into parts below MaxLinksBytes.
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

// discovered makes a record for a host's partition. Its time is that of the page, so that a repeat
// is equal.
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
