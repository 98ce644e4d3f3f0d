package dedupe

import (
	"fmt"

	"millrace/schema"
	"millrace/streams/state"
)

// keepAll stages the rows of pages, clusters and aliases that the record changed.
func (r *rows) keepAll() error {
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
	return r.setRow(schema.DocTable, d.row, d.key)
}

// keepCluster stages a cluster that changed. One without members is kept while its text may be
// needed (fold.bury), and for ever if the text was taken down.
func (r *rows) keepCluster(c *clusterEntry) error {
	if !c.dirty {
		return nil
	}
	if err := r.keepMembers(c); err != nil {
		return err
	}
	if c.row.Count == 0 && c.row.TakenDown == 0 && (c.body == nil || c.buried) {
		return r.deleteRow(schema.Cluster, c.site, c.hash)
	}
	if c.newBody {
		if err := r.putBody(c); err != nil {
			return err
		}
	}
	c.row.At = r.ts
	return r.setRow(schema.Cluster, c.row, c.site, c.hash)
}

// putBody stages the text of a cluster. It becomes durable before the round's fold row, so the
// journal need not contain it. It is correct at any time, because all texts of a cluster are equal.
func (r *rows) putBody(c *clusterEntry) error {
	cells := make(state.Cells, len(schema.Cluster.Cells))
	cells[1] = state.Bytes(c.body)
	return r.batch.Put(entriesFirst, state.Mutation{Table: schema.Cluster, Key: clusterKey(c.site, c.hash), TS: r.ts, Cells: cells})
}

func (r *rows) keepAlias(target string, a *aliasEntry) error {
	switch {
	case !a.dirty:
		return nil
	case len(a.row.RowKeys) == 0:
		return r.deleteRow(schema.Alias, target)
	}
	return r.setRow(schema.Alias, a.row, target)
}

// keepMembers writes the rows of cluster_member that changed.
func (r *rows) keepMembers(c *clusterEntry) error {
	for rank, m := range c.members {
		var err error
		if m == nil {
			err = r.deleteRow(schema.ClusterMember, c.site, c.hash, rank)
		} else {
			err = r.setRow(schema.ClusterMember, m, c.site, c.hash, rank)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setRow stages a row and adds it to the journal entry. A row is set or deleted only once per
// record: two writes with one stamp have no order.
func (r *rows) setRow(t *schema.Table, m message, key ...string) error {
	st, err := m.MarshalVT()
	if err != nil {
		return err
	}
	return r.note(&schema.RowWrite{Table: t.Name, Key: octets(key), St: st})
}

func (r *rows) deleteRow(t *schema.Table, key ...string) error {
	return r.note(&schema.RowWrite{Table: t.Name, Key: octets(key), Delete: true})
}

func (r *rows) note(w *schema.RowWrite) error {
	r.writes = append(r.writes, w)
	return r.putWrite(w, r.ts)
}

// putWrite stages a row in the form in which the journal has it.
func (r *rows) putWrite(w *schema.RowWrite, ts int64) error {
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
	}
	return r.batch.Put(thenTables, m)
}

// putFold stages a row of table fold.
func (r *rows) putFold(group int, key state.Key, ts int64, m message) error {
	st, err := m.MarshalVT()
	if err != nil {
		return err
	}
	return r.batch.Put(group, state.Mutation{Table: schema.Fold, Key: key, TS: ts, Cells: state.Cells{state.Bytes(st)}})
}

func octets(key []string) [][]byte {
	out := make([][]byte, len(key))
	for i, s := range key {
		out[i] = []byte(s)
	}
	return out
}
