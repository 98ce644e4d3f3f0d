package near

import (
	"context"
	"errors"

	"millrace/schema"
	"millrace/streams/state"
)

// rows reads the rows of a partition and keeps them until they are written, at the end of the
// round. It is for one goroutine, and nobody else writes these rows.
type rows struct {
	store *state.Ahead
	pages map[uint64]*row[*schema.NearPageRow]
	bands map[uint64]*row[*schema.NearBandRow]
}

// row is a decoded row; dirty if it must be written.
type row[M any] struct {
	m     M
	dirty bool
}

func newRows(store state.Store) *rows {
	r := &rows{store: state.NewAhead(store)}
	r.forget()
	return r
}

func (r *rows) forget() {
	r.store.Forget()
	r.pages, r.bands = map[uint64]*row[*schema.NearPageRow]{}, map[uint64]*row[*schema.NearBandRow]{}
}

// message is the Protobuf message in a row's cell st.
type message interface {
	UnmarshalVT([]byte) error
	MarshalVT() ([]byte, error)
}

func key(id uint64) state.Key { return state.Key{state.Num(int64(id))} }

// read reads a row into m. m stays empty if there is no row.
func read(ctx context.Context, store state.Store, t *schema.Table, id uint64, m message) error {
	cells, err := store.Get(ctx, t, key(id))
	if errors.Is(err, state.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return m.UnmarshalVT(cells[0].Bytes())
}

func (r *rows) page(ctx context.Context, rowKey string) (*row[*schema.NearPageRow], error) {
	id := schema.PageID(rowKey)
	e := r.pages[id]
	if e == nil {
		e = &row[*schema.NearPageRow]{m: &schema.NearPageRow{}}
		if err := read(ctx, r.store, schema.NearPage, id, e.m); err != nil {
			return nil, err
		}
		r.pages[id] = e
	}
	return e, nil
}

func (r *rows) band(ctx context.Context, id uint64) (*row[*schema.NearBandRow], error) {
	e := r.bands[id]
	if e == nil {
		e = &row[*schema.NearBandRow]{m: &schema.NearBandRow{}}
		if err := read(ctx, r.store, schema.NearBand, id, e.m); err != nil {
			return nil, err
		}
		r.bands[id] = e
	}
	return e, nil
}

// write writes all changed rows.
func (r *rows) write(ctx context.Context) error {
	var all []state.Mutation
	for id, e := range r.pages {
		if e.dirty {
			m, err := mutation(schema.NearPage, id, e.m.At, e.m)
			if err != nil {
				return err
			}
			all = append(all, m)
		}
	}
	for id, e := range r.bands {
		if e.dirty {
			m, err := mutation(schema.NearBand, id, e.m.At, e.m)
			if err != nil {
				return err
			}
			if len(e.m.Members) == 0 {
				m.Delete, m.Cells = true, nil
			}
			all = append(all, m)
		}
	}
	if len(all) > 0 {
		if err := r.store.Write(ctx, all); err != nil {
			return err
		}
	}
	r.forget()
	return nil
}

func mutation(t *schema.Table, id uint64, ts int64, m message) (state.Mutation, error) {
	st, err := m.MarshalVT()
	return state.Mutation{Table: t, Key: key(id), TS: ts, Cells: state.Cells{state.Bytes(st)}}, err
}
