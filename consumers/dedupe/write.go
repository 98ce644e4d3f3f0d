package dedupe

import (
	"fmt"

	"millrace/schema"
	"millrace/streams/state"
)

// keep stages the rows of pages, clusters and aliases that the record changed.
func (r *rows) keep() error {
	for _, d := range r.docs {
		if err := r.keepDoc(d); err != nil {
			return err
		}
	}
	for _, c := range r.clusters {
		if err := r.keepCluster(c); err != nil {
			return err
		}
	}
	for target, a := range r.aliases {
		if err := r.keepAlias(target, a); err != nil {
			return err
		}
	}
	return nil
}

func (r *rows) keepDoc(d *docEntry) error {
	if !d.dirty {
		return nil
	}
	d.row.At = r.ts
	return r.set(schema.DocTable, d.row, nil, d.key)
}

func (r *rows) keepCluster(c *clusterEntry) error {
	if !c.dirty {
		return nil
	}
	if c.row.Count == 0 {
		return r.delete(schema.Cluster, c.site, c.hash)
	}
	var body []byte
	if c.newBody {
		body = c.body
	}
	c.row.At = r.ts
	return r.set(schema.Cluster, c.row, body, c.site, c.hash)
}

func (r *rows) keepAlias(target string, a *aliasEntry) error {
	switch {
	case !a.dirty:
		return nil
	case len(a.row.RowKeys) == 0:
		return r.delete(schema.Alias, target)
	}
	return r.set(schema.Alias, a.row, nil, target)
}

func (r *rows) addMember(c *clusterEntry, rank, key string) error {
	return r.set(schema.ClusterMember, &schema.MemberOf{RowKey: key}, nil, c.site, c.hash, rank+order(key))
}

// set stages a row and notes it for the journal. A row is set or deleted once a
// record: of two writes with one timestamp not the later one would win.
func (r *rows) set(t *schema.Table, m message, body []byte, key ...string) error {
	st, err := m.MarshalVT()
	if err != nil {
		return err
	}
	return r.note(&schema.RowWrite{Table: t.Name, Key: octets(key), St: st, Body: body})
}

func (r *rows) delete(t *schema.Table, key ...string) error {
	return r.note(&schema.RowWrite{Table: t.Name, Key: octets(key), Delete: true})
}

func (r *rows) note(w *schema.RowWrite) error {
	r.writes = append(r.writes, w)
	return r.put(w, r.ts)
}

// put stages a row as the journal has it.
func (r *rows) put(w *schema.RowWrite, ts int64) error {
	m := state.Mutation{TS: ts, Delete: w.Delete}
	for _, t := range []*schema.Table{schema.DocTable, schema.Cluster, schema.ClusterMember, schema.Alias} {
		if t.Name == w.Table {
			m.Table = t
		}
	}
	if m.Table == nil {
		return fmt.Errorf("the journal names table %q", w.Table)
	}
	for _, v := range w.Key {
		m.Key = append(m.Key, state.Bytes(v))
	}
	if !w.Delete {
		m.Cells = make(state.Cells, len(m.Table.Cells))
		m.Cells[0] = state.Bytes(w.St)
		if len(w.Body) > 0 {
			m.Cells[1] = state.Bytes(w.Body)
		}
	}
	return r.b.Put(thenTables, m)
}

// stage stages a row of table fold.
func (r *rows) stage(group int, key state.Key, ts int64, m message) error {
	st, err := m.MarshalVT()
	if err != nil {
		return err
	}
	return r.b.Put(group, state.Mutation{Table: schema.Fold, Key: key, TS: ts, Cells: state.Cells{state.Bytes(st)}})
}

func octets(key []string) [][]byte {
	out := make([][]byte, len(key))
	for i, s := range key {
		out[i] = []byte(s)
	}
	return out
}
