package links

import (
	"context"
	"errors"

	"millrace/schema"
	"millrace/streams/state"
)

// rows reads and writes the rows of a partition. It keeps rows of targets and sites in memory from
// round to round, because most links of a site lead to the same pages; rows of pages only for one
// round. It is for one goroutine, and nobody else writes these rows.
type rows struct {
	store   *state.Ahead
	pages   map[uint64]*row[*schema.PageLinksRow]
	targets cache[uint64, *schema.TargetRow]
	sites   cache[siteKey, *schema.SiteRow]
}

type siteKey struct {
	site string
	id   uint64
}

// self is the id, in siteKey, of the row about the site itself.
const self = 0

func newRows(store state.Store, most int) *rows {
	r := &rows{store: state.NewAhead(store)}
	r.targets.most, r.sites.most = most, most
	r.forget()
	return r
}

func (r *rows) forget() {
	r.store.Forget()
	r.pages = map[uint64]*row[*schema.PageLinksRow]{}
	r.targets.forget()
	r.sites.forget()
}

// row is a decoded row; dirty if it must be written.
type row[M any] struct {
	m     M
	dirty bool
}

// cache keeps the rows used recently, in two generations: when young has more than most rows, it
// becomes old, and the rows of the old generation that were not used since then are dropped. used
// are the rows of this round, the only ones that can be dirty: a round uses a few hundred rows of
// thousands.
type cache[K comparable, M any] struct {
	most       int
	young, old map[K]*row[M]
	used       map[K]*row[M]
}

func (c *cache[K, M]) forget() { c.young, c.old, c.used = map[K]*row[M]{}, nil, map[K]*row[M]{} }

func (c *cache[K, M]) get(k K) *row[M] {
	if e := c.used[k]; e != nil {
		return e
	}
	e := c.young[k]
	if e == nil {
		e = c.old[k]
	}
	if e != nil {
		c.put(k, e)
	}
	return e
}

// has reports whether a row is in memory, without using it.
func (c *cache[K, M]) has(k K) bool { return c.young[k] != nil || c.old[k] != nil }

func (c *cache[K, M]) put(k K, e *row[M]) { c.young[k], c.used[k] = e, e }

// written clears the dirty marks after a write, and drops rows that were not used recently.
func (c *cache[K, M]) written() {
	for _, e := range c.used {
		e.dirty = false
	}
	clear(c.used)
	if len(c.young) > c.most {
		c.young, c.old = map[K]*row[M]{}, c.young
	}
	if len(c.old) > 4*c.most {
		c.old = nil
	}
}

// message is the Protobuf message in a row's cell st.
type message interface {
	UnmarshalVT([]byte) error
	MarshalVT() ([]byte, error)
}

// read reads a row into m. m stays empty if there is no row.
func read(ctx context.Context, store state.Store, t *schema.Table, key state.Key, m message) error {
	cells, err := store.Get(ctx, t, key)
	if errors.Is(err, state.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return m.UnmarshalVT(cells[0].Bytes())
}

func pageKey(id uint64) state.Key {
	return state.Key{state.Num(schema.PageShard(id)), state.Num(int64(id))}
}

func targetKey(id uint64) state.Key { return state.Key{state.Num(int64(id))} }

func (k siteKey) key() state.Key { return state.Key{state.Str(k.site), state.Num(int64(k.id))} }

func (r *rows) page(ctx context.Context, id uint64) (*row[*schema.PageLinksRow], error) {
	e := r.pages[id]
	if e == nil {
		e = &row[*schema.PageLinksRow]{m: &schema.PageLinksRow{}}
		if err := read(ctx, r.store, schema.LinkPage, pageKey(id), e.m); err != nil {
			return nil, err
		}
		r.pages[id] = e
	}
	return e, nil
}

func (r *rows) target(ctx context.Context, id uint64) (*row[*schema.TargetRow], error) {
	e := r.targets.get(id)
	if e == nil {
		e = &row[*schema.TargetRow]{m: &schema.TargetRow{}}
		if err := read(ctx, r.store, schema.LinkTarget, targetKey(id), e.m); err != nil {
			return nil, err
		}
		r.targets.put(id, e)
	}
	return e, nil
}

func (r *rows) site(ctx context.Context, k siteKey) (*row[*schema.SiteRow], error) {
	e := r.sites.get(k)
	if e == nil {
		e = &row[*schema.SiteRow]{m: &schema.SiteRow{}}
		if err := read(ctx, r.store, schema.LinkSite, k.key(), e.m); err != nil {
			return nil, err
		}
		r.sites.put(k, e)
	}
	return e, nil
}

// write writes all changed rows. The rows of pages are written last: the difference between them
// and a record that comes again after a crash is then the same as before.
func (r *rows) write(ctx context.Context) error {
	var first, last []state.Mutation
	for id, e := range r.targets.used {
		if e.dirty {
			m, err := mutation(schema.LinkTarget, targetKey(id), e.m.At, e.m)
			if err != nil {
				return err
			}
			first = append(first, m)
		}
	}
	for k, e := range r.sites.used {
		if e.dirty {
			m, err := mutation(schema.LinkSite, k.key(), e.m.At, e.m)
			if err != nil {
				return err
			}
			first = append(first, m)
		}
	}
	for id, e := range r.pages {
		if e.dirty {
			m, err := mutation(schema.LinkPage, pageKey(id), e.m.At, e.m)
			if err != nil {
				return err
			}
			last = append(last, m)
		}
	}
	if len(first)+len(last) > 0 {
		if err := r.store.Write(ctx, first, last); err != nil {
			return err
		}
	}
	r.targets.written()
	r.sites.written()
	clear(r.pages)
	return nil
}

func mutation(t *schema.Table, key state.Key, ts int64, m message) (state.Mutation, error) {
	st, err := m.MarshalVT()
	return state.Mutation{Table: t, Key: key, TS: ts, Cells: state.Cells{state.Bytes(st)}}, err
}
