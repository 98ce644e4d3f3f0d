package links

import (
	"context"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// preparing is a task that reads the rows of a round together before it handles the records.
type preparing struct{ *task }

// mostAhead bounds the rows that are read for one round before it begins; a page with more links
// reads the others when it is handled.
const mostAhead = 8192

// Prepare reads what the records of a round need in two steps: the rows of their pages, then those
// of the targets that a page links to differently now.
func (t *preparing) Prepare(ctx context.Context, records []*streams.Record[*schema.Found]) error {
	t.rows.store.Forget()
	var first, then []state.Wanted
	for _, r := range records {
		switch b := r.Value.GetBody().(type) {
		case *schema.Found_Page:
			id := schema.PageID(b.Page.GetRowKey())
			first = append(first, state.Wanted{Table: schema.LinkPage, Key: pageKey(id)})
			first = t.rows.wantTarget(first, id)
			first = t.rows.wantSite(first, siteKey{b.Page.GetSite(), self})
		case *schema.Found_Site:
			first = t.rows.wantTarget(first, schema.PageID(b.Site.GetRowKey()))
		}
	}
	if err := t.rows.store.Fetch(ctx, first[:min(len(first), mostAhead)]); err != nil {
		return err
	}
	for _, r := range records {
		if p := r.Value.GetPage(); p != nil && len(then) < mostAhead {
			then = t.targets(then, p)
		}
	}
	return t.rows.store.Fetch(ctx, then[:min(len(then), mostAhead)])
}

// targets adds the rows of the targets for which the links of a page have changed.
func (t *preparing) targets(list []state.Wanted, p *schema.PageLinks) []state.Wanted {
	id, old := schema.PageID(p.RowKey), &schema.PageLinksRow{}
	if cells, ok := t.rows.store.Look(schema.LinkPage, pageKey(id)); ok && old.UnmarshalVT(cells[0].Bytes()) != nil {
		return list
	}
	_, says := t.read(p)
	for to, c := range difference(old, says, id) {
		if c.site == p.Site {
			list = t.rows.wantTarget(list, to)
		} else {
			list = t.rows.wantSite(list, siteKey{p.Site, to})
		}
	}
	return list
}

// wantTarget adds the row of a target to list, unless it is in memory.
func (r *rows) wantTarget(list []state.Wanted, id uint64) []state.Wanted {
	if r.targets.has(id) {
		return list
	}
	return append(list, state.Wanted{Table: schema.LinkTarget, Key: targetKey(id)})
}

func (r *rows) wantSite(list []state.Wanted, k siteKey) []state.Wanted {
	if r.sites.has(k) {
		return list
	}
	return append(list, state.Wanted{Table: schema.LinkSite, Key: k.key()})
}
