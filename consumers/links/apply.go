package links

import (
	"context"
	"maps"
	"math/bits"
	"slices"

	"millrace/schema"
)

// work applies one record of a page: the changes, and the rows that they touch.
type work struct {
	*task
	ts      int64
	page    *schema.PageLinks
	fresh   bool // there was no record of the page before, or it was gone
	changes map[uint64]change

	own     *row[*schema.TargetRow]            // the row of the page itself
	targets map[uint64]*row[*schema.TargetRow] // of its site
	sites   map[uint64]*row[*schema.SiteRow]   // what its site says of pages of other sites
	about   *row[*schema.SiteRow]              // its site
}

// load reads every row that apply may change. After it nothing can fail.
func (w *work) load(ctx context.Context, id uint64) (err error) {
	w.targets, w.sites = map[uint64]*row[*schema.TargetRow]{}, map[uint64]*row[*schema.SiteRow]{}
	if w.about, err = w.rows.site(ctx, siteKey{w.page.Site, self}); err != nil {
		return err
	}
	if w.own, err = w.rows.target(ctx, id); err != nil {
		return err
	}
	for id, c := range w.changes {
		if c.site == w.page.Site {
			w.targets[id], err = w.rows.target(ctx, id)
		} else {
			w.sites[id], err = w.rows.site(ctx, siteKey{w.page.Site, id})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// apply changes the rows and sends the records that follow. A row with this record's stamp or a
// later one is left alone.
func (w *work) apply() {
	w.countPage()
	for _, id := range slices.Sorted(maps.Keys(w.changes)) {
		if c := w.changes[id]; c.site == w.page.Site {
			w.inside(w.targets[id], c)
		} else {
			w.outside(w.sites[id], c)
		}
	}
	if own := w.own; own.m.At < w.ts {
		own.m.At, own.m.Fetched, own.dirty = w.ts, !w.page.Gone, true
		own.m.RowKey, own.m.Site = w.page.RowKey, w.page.Site
		w.show(own.m, w.ts, onFetch)
	}
}

// countPage updates the number of the site's pages whose links are known.
func (w *work) countPage() {
	by := int64(0)
	switch {
	case w.fresh && !w.page.Gone:
		by = 1
	case !w.fresh && w.page.Gone:
		by = -1
	}
	if by == 0 || w.about.m.At >= w.ts {
		return
	}
	if w.about.m.Entry == nil {
		w.about.m.Entry = &schema.SiteEntry{Site: w.page.Site}
	}
	w.about.m.Entry.Pages = max(0, w.about.m.Entry.Pages+by)
	w.about.m.At, w.about.dirty = w.ts, true
}

// inside applies a link between pages of one site.
func (w *work) inside(r *row[*schema.TargetRow], c change) {
	if r.m.At >= w.ts {
		return
	}
	if c.is != nil {
		r.m.RowKey, r.m.Site = c.key, c.site
	}
	if r.m.Own == nil {
		r.m.Own = &schema.SiteEntry{Site: w.page.Site}
	}
	why := onMore
	if w.count(r.m.Own, c, w.opts.MaxOwn) {
		why = onTexts
	}
	r.m.Own.SitePages = w.about.m.Entry.GetPages()
	if r.m.Own.Pages == 0 {
		r.m.Own = nil
	}
	r.m.At, r.dirty = w.ts, true
	w.show(r.m, w.ts, why)
}

// outside applies a link to a page of another site. It sends SiteLinks to that page's partition
// when the binary length of the number of linking pages has changed (1, 2, 4, 8, ...), or the texts
// have.
func (w *work) outside(r *row[*schema.SiteRow], c change) {
	s := r.m
	if s.At >= w.ts {
		return
	}
	if c.is != nil {
		s.RowKey, s.TargetSite = c.key, c.site
	}
	if s.Entry == nil {
		s.Entry = &schema.SiteEntry{Site: w.page.Site}
	}
	texts := w.count(s.Entry, c, w.opts.MaxTexts)
	s.At, r.dirty = w.ts, true
	if told := int32(bits.Len64(uint64(s.Entry.Pages))); told != s.Told || texts {
		known := s.Told > 0
		s.Told = told
		w.out.found.Send(&schema.Found{Body: &schema.Found_Site{Site: &schema.SiteLinks{
			RowKey: s.RowKey, TargetSite: s.TargetSite, Site: w.page.Site, Pages: s.Entry.Pages, Followed: s.Entry.Followed,
			Texts: s.Entry.Texts, Example: s.Entry.Example, SitePages: w.about.m.Entry.GetPages(), Known: known,
		}}})
	}
}

// count applies a change to a site's entry, and reports whether the set of its texts has changed.
func (w *work) count(e *schema.SiteEntry, c change, most int) (texts bool) {
	if c.was != nil {
		e.Pages--
		if c.was.followed() {
			e.Followed--
		}
		texts = takeText(e, c.was)
		if e.Example == w.page.RowKey {
			e.Example = ""
		}
	}
	if c.is != nil {
		e.Pages++
		if c.is.followed() {
			e.Followed++
		}
		texts = addText(e, c, most) || texts
		if e.Example == "" {
			e.Example = w.page.RowKey
		}
	}
	e.Pages, e.Followed = max(0, e.Pages), max(0, e.Followed)
	return texts
}

// takeText subtracts one page from a text, and removes the text and returns true if that was the
// last one.
func takeText(e *schema.SiteEntry, was *out) bool {
	for i, t := range e.Texts {
		if hashText(t.Text) != was.text {
			continue
		}
		t.Pages--
		if was.followed() {
			t.Followed = max(0, t.Followed-1)
		}
		if t.Pages <= 0 {
			e.Texts = append(e.Texts[:i:i], e.Texts[i+1:]...)
			return true
		}
	}
	return false
}

// addText adds one page to a text, and reports whether the text is new. With most texts already, a
// new one is not counted.
func addText(e *schema.SiteEntry, c change, most int) bool {
	if c.is.text == 0 {
		return false
	}
	followed := int64(0)
	if c.is.followed() {
		followed = 1
	}
	for _, t := range e.Texts {
		if hashText(t.Text) == c.is.text {
			t.Pages, t.Followed = t.Pages+1, t.Followed+followed
			return false
		}
	}
	if len(e.Texts) >= most {
		return false
	}
	e.Texts = append(e.Texts, &schema.AnchorText{Text: c.text, Pages: 1, Followed: followed})
	return true
}
