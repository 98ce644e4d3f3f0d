package links

import (
	"context"
	"strings"

	"github.com/cespare/xxhash/v2"

	"millrace/schema"
)

// The bits of HostOut.rels.
const (
	relIgnored = 1 // nofollow, ugc or sponsored
	relOther   = 2 // leads to a feed or sitemap
)

// out is one link of a page.
type out struct {
	id   uint64
	text uint32 // hash of its text; 0 = none
	rel  uint32
}

func (o out) followed() bool { return o.rel&relIgnored == 0 }

// inGraph reports whether the link carries rank.
func (o out) inGraph() bool { return o.rel == 0 }

// change is the difference of a page's link to one target: the link before and the link now.
type change struct {
	host, site string // of the target
	key        string // row key of the target; "" if the link is gone
	text       string
	was, is    *out
}

// page replaces the links of a page by those of its new record. It applies only the difference.
func (t *task) page(ctx context.Context, ts int64, p *schema.PageLinks) error {
	id := schema.PageID(p.RowKey)
	old, err := t.rows.page(ctx, id)
	if err != nil {
		return err
	}
	if why := pointless(old.m, ts, p); why != "" {
		t.part.Drop(why, 1)
		return nil
	}
	next, says := t.read(p)
	next.At = ts
	changes := difference(old.m, says, id)
	w := &work{task: t, ts: ts, page: p, fresh: old.m.At == 0 || old.m.Gone, changes: changes}
	if err := w.load(ctx, id); err != nil {
		return err
	}
	w.apply()
	if graphDiffers(old.m, next) {
		t.out.graph.SendTo(0, graphOf(next))
	}
	old.m, old.dirty = next, true
	return nil
}

// pointless returns why a record is dropped without effect, or "" if it is not.
func pointless(old *schema.PageLinksRow, ts int64, p *schema.PageLinks) string {
	switch {
	case old.At == 0:
		return ""
	case old.At >= ts:
		return "again"
	case p.Rev < old.Rev || p.Rev == old.Rev && p.Edition < old.Edition:
		return "older_version"
	case p.Rev == old.Rev && p.Edition == old.Edition:
		return "repeated_version"
	}
	return ""
}

// read returns a record's row and, by target, its links. Of several links to one target the first
// counts. Links to the page itself are left out.
func (t *task) read(p *schema.PageLinks) (*schema.PageLinksRow, map[uint64]change) {
	row := &schema.PageLinksRow{Rev: p.Rev, Edition: p.Edition, RowKey: p.RowKey, Site: p.Site, Gone: p.Gone}
	says := map[uint64]change{}
	for _, h := range t.hostsOf(p) {
		if !schema.Storable(h.Host) || !schema.Storable(h.Site) {
			continue
		}
		kept := &schema.HostOut{Host: h.Host, Site: h.Site}
		for _, l := range h.Links {
			key := h.Host + l.Path
			o := out{id: schema.PageID(key), rel: relOf(l, p.Nofollow)}
			if says[o.id].is != nil || key == p.RowKey || !schema.StorableRowKey(key) {
				continue
			}
			text := tidy(l.Anchor, t.opts.MaxText)
			o.text = hashText(text)
			says[o.id] = change{host: h.Host, site: h.Site, key: key, text: text, is: &o}
			kept.Ids, kept.Texts, kept.Rels = append(kept.Ids, o.id), append(kept.Texts, o.text), append(kept.Rels, o.rel)
		}
		if len(kept.Ids) > 0 {
			row.Hosts = append(row.Hosts, kept)
		}
	}
	return row, says
}

// hostsOf returns the links of a page; of a page that moved, one link to where it moved; of another
// page that is gone, none.
func (t *task) hostsOf(p *schema.PageLinks) []*schema.HostLinks {
	if !p.Gone {
		return p.Hosts
	}
	u, err := t.deps.Canon.Parse(p.MovedTo)
	if p.MovedTo == "" || err != nil {
		return nil
	}
	key := u.RowKey()
	return []*schema.HostLinks{{
		Host: string(key.Host()), Site: siteOf(key, p), Links: []*schema.Link{{Path: key.Path(), Kind: schema.Kind_PAGE}},
	}}
}

func siteOf(key schema.RowKey, p *schema.PageLinks) string {
	if key.Host() == schema.RowKey(p.RowKey).Host() {
		return p.Site
	}
	return string(schema.SiteOf(key.Host().Name()))
}

func relOf(l *schema.Link, nofollow bool) (rel uint32) {
	if nofollow || l.Rel&7 != 0 {
		rel |= relIgnored
	}
	if l.Kind == schema.Kind_FEED || l.Kind == schema.Kind_SITEMAP {
		rel |= relOther
	}
	return rel
}

// hashText returns the hash of a text, ignoring case; 0 for no text.
func hashText(text string) uint32 {
	if text == "" {
		return 0
	}
	return max(1, uint32(xxhash.Sum64String(strings.ToLower(text))))
}

// difference compares the new links (says) with the old row: it removes links that have not
// changed, and adds those that are gone.
func difference(old *schema.PageLinksRow, says map[uint64]change, page uint64) map[uint64]change {
	for _, h := range old.Hosts {
		for i, id := range h.Ids {
			was := out{id, h.Texts[i], h.Rels[i]}
			c, still := says[id]
			switch {
			case still && *c.is == was && c.site == h.Site:
				delete(says, id)
			case still && c.site == h.Site:
				c.was = &was
				says[id] = c
			case !still:
				says[id] = change{host: h.Host, site: h.Site, was: &was}
			}
		}
	}
	delete(says, page)
	return says
}

// graphDiffers reports whether the set of targets that carry rank has changed.
func graphDiffers(old, now *schema.PageLinksRow) bool {
	if old.At == 0 || old.Gone != now.Gone {
		return true
	}
	a, b := targets(old), targets(now)
	if len(a) != len(b) {
		return true
	}
	for id := range a {
		if !b[id] {
			return true
		}
	}
	return false
}

func targets(p *schema.PageLinksRow) map[uint64]bool {
	set := map[uint64]bool{}
	for _, h := range p.Hosts {
		for i, id := range h.Ids {
			if (out{id, 0, h.Rels[i]}).inGraph() {
				set[id] = true
			}
		}
	}
	return set
}

// GraphOf returns the part of a page's row that group ranks needs.
func GraphOf(p *schema.PageLinksRow) *schema.OutLinks { return graphOf(p) }

func graphOf(p *schema.PageLinksRow) *schema.OutLinks {
	o := &schema.OutLinks{RowKey: p.RowKey, Rev: p.Rev, Edition: p.Edition, Gone: p.Gone && len(p.Hosts) == 0}
	for _, h := range p.Hosts {
		ids := &schema.HostIDs{Host: h.Host}
		for i, id := range h.Ids {
			if h.Rels[i] == 0 {
				ids.Ids = append(ids.Ids, id)
			}
		}
		if len(ids.Ids) > 0 {
			o.Hosts = append(o.Hosts, ids)
		}
	}
	return o
}
