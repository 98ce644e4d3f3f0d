package near

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"millrace/consumers/sketch"
	"millrace/schema"
	"millrace/streams/state"
)

// page gives a document its new sketch, or none, and tells the bands.
func (t *task) page(ctx context.Context, ts, at int64, p *schema.Sketch) error {
	r, err := t.rows.page(ctx, p.RowKey)
	if err != nil {
		return err
	}
	old := r.m
	switch {
	case old.At >= ts:
		t.part.Drop("again", 1)
		return nil
	case p.Rev < old.Rev || p.Rev == old.Rev && p.Edition < old.Edition && len(p.Sketch) > 0:
		t.part.Drop("older_version", 1)
		return nil
	case old.At == 0 && len(p.Sketch) != sketch.Bytes: // never compared
		return nil
	}
	if len(p.Sketch) != sketch.Bytes {
		p.Sketch = nil
	}
	if bytes.Equal(old.Sketch, p.Sketch) && old.Site == p.Site {
		old.Rev, old.Edition, old.At, r.dirty = p.Rev, p.Edition, ts, true
		return nil
	}
	r.m = &schema.NearPageRow{At: ts, Version: ts, Since: at, Rev: p.Rev, Edition: p.Edition, RowKey: p.RowKey, Site: p.Site, Sketch: p.Sketch}
	r.dirty = true
	t.tellBands(old, r.m)
	if len(old.Pages) > 0 {
		t.show(r.m)
	}
	return nil
}

// tellBands sends one record to each partition that has bands which the document joins or leaves.
func (t *task) tellBands(old, now *schema.NearPageRow) {
	to := map[int32]*schema.Bands{}
	at := func(band uint64) *schema.Bands {
		p := int32(band % uint64(t.part.Count()))
		if to[p] == nil {
			to[p] = &schema.Bands{RowKey: now.RowKey, Site: now.Site, Sketch: now.Sketch, Version: now.Version, Since: now.Since, Left: old.Version}
		}
		return to[p]
	}
	for _, band := range sketch.Bands(old.Sketch) {
		b := at(band)
		b.Leave = append(b.Leave, band)
	}
	for _, band := range sketch.Bands(now.Sketch) {
		b := at(band)
		b.Join = append(b.Join, band)
	}
	for p := range t.part.Count() {
		if b := to[p]; b != nil {
			t.out.found.SendTo(p, &schema.Near{Body: &schema.Near_Bands{Bands: b}})
		}
	}
}

// match adds pages to a document's near-duplicates, or removes them.
func (t *task) match(ctx context.Context, ts int64, m *schema.Match) error {
	r, err := t.rows.page(ctx, m.RowKey)
	if err != nil {
		return err
	}
	row := r.m
	switch {
	case row.At >= ts:
		t.part.Drop("again", 1)
		return nil
	case m.Version != row.Version || len(row.Sketch) == 0:
		t.correct(row, m)
		t.part.Drop("older_version", 1)
		return nil
	}
	changed := false
	for _, p := range m.Pages {
		if schema.StorableRowKey(p.GetRowKey()) && p.RowKey != m.RowKey {
			changed = t.merge(row, p, m.Gone) || changed
		}
	}
	row.At, r.dirty = ts, true
	if changed {
		t.show(row)
	}
	return nil
}

// correct tells a band to drop an old version of a document. It has one if it was told twice, and
// the second time late.
func (t *task) correct(row *schema.NearPageRow, m *schema.Match) {
	if m.Gone || m.Version >= row.Version {
		return
	}
	t.out.found.SendTo(int32(m.Band%uint64(t.part.Count())), &schema.Near{Body: &schema.Near_Bands{Bands: &schema.Bands{
		RowKey: m.RowKey, Site: m.Site, Left: m.Version, Leave: []uint64{m.Band},
	}}})
}

// merge adds a page to the list or removes it, and reports whether that changed the list. Of two
// versions of a page the later one counts.
func (t *task) merge(row *schema.NearPageRow, p *schema.Nearby, gone bool) bool {
	i := slices.IndexFunc(row.Pages, func(x *schema.Nearby) bool { return x.RowKey == p.RowKey })
	switch {
	case i >= 0 && p.Version < row.Pages[i].Version:
		return false
	case i >= 0 && gone:
		row.Pages = slices.Delete(row.Pages, i, i+1)
		return true
	case gone, i >= 0 && p.Version == row.Pages[i].Version:
		return false
	case i >= 0:
		row.Pages = slices.Delete(row.Pages, i, i+1)
	}
	to := place(row.Pages, p)
	if to >= t.opts.MaxPages {
		return i >= 0
	}
	row.Pages = slices.Insert(row.Pages, to, p)
	row.Pages = row.Pages[:min(len(row.Pages), t.opts.MaxPages)]
	return true
}

// dated is a document in a list whose first one is the one published first.
type dated interface {
	GetSince() int64
	GetRowKey() string
}

func compare(a, b dated) int {
	return cmp.Or(cmp.Compare(a.GetSince(), b.GetSince()), strings.Compare(a.GetRowKey(), b.GetRowKey()))
}

// place returns where in a list a document belongs.
func place[D dated](list []D, d D) int {
	i, _ := slices.BinarySearchFunc(list, d, func(x, y D) int { return compare(x, y) })
	return i
}

// show sends what is near a document now.
func (t *task) show(row *schema.NearPageRow) {
	if len(row.Pages) == 0 {
		t.out.near.Tombstone(t.part.ID(), row.RowKey, row.RowKey)
		return
	}
	t.out.near.SendTo(t.part.ID(), Shown(row))
}

// Shown returns what a document's row says of its near-duplicates.
func Shown(row *schema.NearPageRow) *schema.NearPages {
	m := &schema.NearPages{RowKey: row.RowKey, Site: row.Site, Cluster: row.RowKey, Pages: row.Pages, At: row.At, Since: row.Since}
	if first := row.Pages[0]; compare(first, row) < 0 {
		m.Cluster = first.RowKey
	}
	return m
}

// Of returns the near-duplicates of a document; nil if it has none.
func Of(ctx context.Context, store state.Store, rowKey string) (*schema.NearPages, error) {
	row := &schema.NearPageRow{}
	err := read(ctx, store, schema.NearPage, schema.PageID(rowKey), row)
	if err != nil || len(row.Pages) == 0 {
		return nil, err
	}
	return Shown(row), nil
}
