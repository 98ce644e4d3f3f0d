package near

import (
	"context"
	"math"
	"slices"

	"millrace/consumers/sketch"
	"millrace/schema"
)

// bands lets a document leave bands and join others.
func (t *task) bands(ctx context.Context, ts int64, b *schema.Bands) error {
	for _, ids := range [][]uint64{b.Leave, b.Join} { // read before anything is changed
		for _, id := range ids {
			if _, err := t.rows.band(ctx, id); err != nil {
				return err
			}
		}
	}
	done := map[uint64]bool{}
	for _, ids := range [][]uint64{b.Leave, b.Join} {
		for _, id := range ids {
			r := t.rows.bands[id]
			if r.m.At >= ts && !done[id] {
				continue // this record was applied before a crash
			}
			done[id] = true
			r.m.At, r.dirty = ts, true
		}
	}
	for _, id := range b.Leave {
		if done[id] {
			t.leave(id, t.rows.bands[id].m, b)
		}
	}
	if len(b.Sketch) != sketch.Bytes {
		return nil
	}
	for _, id := range b.Join {
		if done[id] {
			t.join(id, t.rows.bands[id].m, b)
		}
	}
	return nil
}

// find returns the index of a document in a band, or -1.
func find(row *schema.NearBandRow, rowKey string) int {
	return slices.IndexFunc(row.Members, func(m *schema.BandMember) bool { return m.RowKey == rowKey })
}

// leave removes a version of a document from a band, and tells those that it was near to.
func (t *task) leave(id uint64, row *schema.NearBandRow, b *schema.Bands) {
	i := find(row, b.RowKey)
	if i < 0 || row.Members[i].Version > b.Left {
		return
	}
	was := row.Members[i]
	row.Members = slices.Delete(row.Members, i, i+1)
	for _, m := range row.Members {
		if similarity, ok := t.near(id, was, m); ok {
			t.tell(id, m, true, nearby(was, similarity))
		}
	}
}

// join adds a document to a band and compares it with the others.
func (t *task) join(id uint64, row *schema.NearBandRow, b *schema.Bands) {
	is := &schema.BandMember{RowKey: b.RowKey, Site: b.Site, Sketch: b.Sketch, Version: b.Version, Since: b.Since}
	if i := find(row, b.RowKey); i >= 0 {
		if row.Members[i].Version > is.Version {
			return
		}
		row.Members = slices.Delete(row.Members, i, i+1)
	}
	to := place(row.Members, is)
	t.compare(id, row.Members, is, to)
	if to < t.opts.MaxMembers {
		row.Members = slices.Insert(row.Members, to, is)
		row.Members = row.Members[:min(len(row.Members), t.opts.MaxMembers)]
	}
}

// compare tells a document that joins, whose place is to, and the members of a band of each other.
// Members are not told if there are as many as a list takes before the new one.
func (t *task) compare(id uint64, members []*schema.BandMember, is *schema.BandMember, to int) {
	var others []*schema.Nearby
	var near []*schema.BandMember
	before := 0
	for at, m := range members {
		similarity, ok := t.near(id, is, m)
		if !ok {
			continue
		}
		near, others = append(near, m), append(others, nearby(m, similarity))
		if at < to {
			before++
		}
	}
	if len(others) == 0 {
		return
	}
	if before <= t.opts.MaxPages {
		for i, m := range near {
			t.tell(id, m, false, nearby(is, others[i].Similarity))
		}
	}
	t.tell(id, is, false, others[:min(len(others), t.opts.MaxPages)]...)
}

// near returns how similar two documents are, in percent, if they are near each other and this band
// is the one that tells them.
func (t *task) near(id uint64, a, b *schema.BandMember) (int32, bool) {
	if first, ok := sketch.FirstShared(a.Sketch, b.Sketch); !ok || first != id {
		return 0, false
	}
	s := sketch.Similarity(a.Sketch, b.Sketch)
	return int32(math.Round(100 * s)), s >= t.opts.Least
}

func nearby(m *schema.BandMember, similarity int32) *schema.Nearby {
	return &schema.Nearby{RowKey: m.RowKey, Site: m.Site, Version: m.Version, Since: m.Since, Similarity: similarity}
}

// tell sends a Match to a document.
func (t *task) tell(id uint64, to *schema.BandMember, gone bool, pages ...*schema.Nearby) {
	t.out.found.Send(&schema.Near{Body: &schema.Near_Match{Match: &schema.Match{
		RowKey: to.RowKey, Site: to.Site, Version: to.Version, Band: id, Pages: pages, Gone: gone,
	}}})
}
