package state

import (
	"context"
	"maps"
	"slices"

	"millrace/schema"
)

// Batch collects the writes of one round of records. Its reads answer as if they were written
// already. Commit writes them in groups.
//
// Reads are right only for the one writer of the rows (package comment): nobody else changes them
// during a round, and staged timestamps are higher than those in the store. A mutation with a lower
// timestamp (of a record that was handled before; the row's `at` shows that) would be visible here
// and lose in the store.
//
// A Batch is for one goroutine. A mutation must not be changed after Put.
type Batch struct {
	store Store
	log   []staged
	drops []Dropping

	rows       map[string]*overlay // by row id, what log says of the row
	partitions map[string][]string // ids of rows, by partition id
	cache      cache
}

// staged is one Put.
type staged struct {
	group int
	id    string
	Mutation
}

// Savepoint is a position in a Batch, for Rollback.
type Savepoint struct{ puts, drops int }

// NewBatch returns an empty batch over store.
func NewBatch(store Store) *Batch {
	b := &Batch{store: store}
	b.clear()
	return b
}

// Put stages a mutation. Commit writes groups in ascending order, each after the one before is
// durable. It fails with ErrInvalid if the store would refuse it.
func (b *Batch) Put(group int, m Mutation) error {
	if err := m.Check(); err != nil {
		return err
	}
	s := staged{group: group, id: id(m.Table, m.Key), Mutation: m}
	b.log = append(b.log, s)
	b.show(&s)
	return nil
}

// Drop stages the drop of a partition, which Commit does after all groups. Reads do not see it
// before Commit.
func (b *Batch) Drop(t *schema.Table, partition Key, ts int64) error {
	if err := CheckDrop(t, partition, ts); err != nil {
		return err
	}
	b.drops = append(b.drops, Dropping{t, partition, ts})
	return nil
}

// Len returns how many mutations are staged.
func (b *Batch) Len() int { return len(b.log) }

// Savepoint returns the present position, for Rollback.
func (b *Batch) Savepoint() Savepoint { return Savepoint{len(b.log), len(b.drops)} }

// Rollback removes what was staged after to. A savepoint is invalid after Commit.
func (b *Batch) Rollback(to Savepoint) {
	b.drops = slices.Delete(b.drops, to.drops, len(b.drops))
	if to.puts == len(b.log) {
		return
	}
	b.log = slices.Delete(b.log, to.puts, len(b.log))
	b.rows, b.partitions = map[string]*overlay{}, map[string][]string{}
	for i := range b.log {
		b.show(&b.log[i])
	}
}

// Commit writes what is staged and empties the batch. On an error the batch stays as it was, any
// part of it may be durable, and Commit may be repeated.
func (b *Batch) Commit(ctx context.Context) error {
	if groups := b.groups(); len(groups) > 0 {
		if err := b.store.Write(ctx, groups...); err != nil {
			return err
		}
	}
	if err := DropAll(ctx, b.store, b.drops); err != nil {
		return err
	}
	b.clear()
	return nil
}

func (b *Batch) clear() {
	clear(b.log) // frees the rows for the garbage collector
	clear(b.drops)
	b.log, b.drops = b.log[:0], b.drops[:0]
	b.rows, b.partitions = map[string]*overlay{}, map[string][]string{}
	b.cache = cache{rows: map[string]cached{}}
}

// show makes s visible to reads.
func (b *Batch) show(s *staged) {
	o := b.rows[s.id]
	if o == nil {
		o = newOverlay(s.Table, s.Key)
		b.rows[s.id] = o
		p := id(s.Table, s.Key[:len(s.Table.Partition)])
		b.partitions[p] = append(b.partitions[p], s.id)
	}
	o.apply(&s.Mutation)
}

// groups returns the staged mutations by ascending group, without those that another one of the
// same group and row overrides completely: a host's row that every record of a round wrote is
// written once.
func (b *Batch) groups() [][]Mutation {
	byGroup := map[int]map[string][]Mutation{}
	for i := range b.log {
		s := &b.log[i]
		rows := byGroup[s.group]
		if rows == nil {
			rows = map[string][]Mutation{}
			byGroup[s.group] = rows
		}
		rows[s.id] = fold(rows[s.id], s.Mutation)
	}
	var out [][]Mutation
	for _, g := range slices.Sorted(maps.Keys(byGroup)) {
		out = append(out, flatten(byGroup[g]))
	}
	return out
}

// flatten lists rows in key order, so that the rows of a partition follow each other.
func flatten(rows map[string][]Mutation) []Mutation {
	out := make([]Mutation, 0, len(rows))
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, rows[id]...)
	}
	return out
}

// fold adds m to the mutations of one row, and removes those that have no effect.
func fold(row []Mutation, m Mutation) []Mutation {
	for i := range row {
		if m.outdoneBy(&row[i]) {
			return row
		}
	}
	row = slices.DeleteFunc(row, func(old Mutation) bool { return old.outdoneBy(&m) })
	return append(row, m)
}

// outdoneBy reports whether m has no effect if n is written too.
func (m *Mutation) outdoneBy(n *Mutation) bool {
	if n.Delete {
		return n.TS >= m.TS
	}
	if m.Delete || n.TS <= m.TS {
		return false
	}
	for i, v := range m.Cells {
		if v.IsSet() && !n.Cells[i].IsSet() {
			return false
		}
	}
	return true
}

// id returns a string for a row or partition of any table; the ids of a partition's rows sort in
// clustering order.
func id(t *schema.Table, key Key) string {
	b := make([]byte, 0, 128)
	b = append(append(b, t.Name...), 0)
	return string(AppendKey(b, t, key))
}
