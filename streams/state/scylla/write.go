package scylla

import (
	"cmp"
	"context"
	"fmt"

	"github.com/gocql/gocql"

	"millrace/schema"
	"millrace/streams/state"
)

// Bounds of one request with rows of one partition. A frame may have 16 MiB, and a row 8 MiB
// (MaxRowBytes).
const (
	requestRows  = 100
	requestBytes = 1 << 20
)

// Bounds of one request with rows of several partitions of a table. Cassandra warns of more than 10
// partitions and of more than 5 KiB, and refuses 50 KiB. The node that gets it writes to the
// replicas of each partition, so it costs those as much as before and everybody else less.
const (
	mixedPartitions = 10
	mixedBytes      = 4 << 10
)

// Write implements state.Store.
func (s *Store) Write(ctx context.Context, groups ...[]state.Mutation) error {
	if err := state.CheckWrite(groups...); err != nil {
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.end()
	for i, group := range groups {
		if err := s.writeGroup(ctx, group); err != nil {
			return fmt.Errorf("write group %d of %d: %w", i+1, len(groups), err)
		}
	}
	return nil
}

// Drop implements state.Store.
func (s *Store) Drop(ctx context.Context, t *schema.Table, partition state.Key, ts int64) error {
	if err := state.CheckDrop(t, partition, ts); err != nil {
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.end()
	args := append([]any{ts}, arguments(key(t), partition)...)
	if err := s.query(ctx, remove(t, len(partition)), args...).ExecRelease(); err != nil {
		return fmt.Errorf("drop from %s %v: %w", t.Name, partition, kindOf(err))
	}
	return nil
}

// request is the mutations of one table that are sent to the server together.
type request []*state.Mutation

// writeGroup sends the requests of a group. Small ones go together with those of other calls
// (lane).
func (s *Store) writeGroup(ctx context.Context, group []state.Mutation) error {
	return eachTable(tables(group), func(t *schema.Table, list []request) error {
		large, small := sorted(list)
		sent := make(chan error, 1)
		if len(small) > 0 {
			go func() { sent <- s.lanes.to(t).send(ctx, small) }()
		} else {
			sent <- nil
		}
		err := first(s.sendAll(ctx, large))
		return cmp.Or(<-sent, err)
	})
}

// tables returns the requests of a group by table, each with rows of one partition.
func tables(group []state.Mutation) map[*schema.Table][]request {
	byTable := map[*schema.Table][]request{}
	for _, r := range partitions(group) {
		byTable[r[0].Table] = append(byTable[r[0].Table], r)
	}
	return byTable
}

// sorted tells the requests that go alone from those that may go with others.
func sorted(list []request) (large, small []request) {
	for _, r := range list {
		if len(r) < requestRows && r.size() < mixedBytes {
			small = append(small, r)
		} else {
			large = append(large, r)
		}
	}
	return large, small
}

func (r request) size() int {
	n := 0
	for _, m := range r {
		n += size(m)
	}
	return n
}

// mixed splits requests of one table, by index, into what is sent together, within mixedPartitions
// and mixedBytes.
func mixed(list []request) [][]int {
	var out [][]int
	rows, bytes := 0, 0
	for i, r := range list {
		last := len(out) - 1
		if n := r.size(); last < 0 || len(out[last]) == mixedPartitions || bytes+n > mixedBytes || rows+len(r) > requestRows {
			out = append(out, nil)
			last, rows, bytes = last+1, 0, 0
		}
		out[last] = append(out[last], i)
		rows, bytes = rows+len(r), bytes+r.size()
	}
	return out
}

// sendAll sends requests of one table, and returns the error of each; nil if none failed.
func (s *Store) sendAll(ctx context.Context, list []request) []error {
	return eachPart(list, mixed(list), func(part []int) error {
		if err := s.acquire(ctx); err != nil {
			return err
		}
		defer s.release()
		return s.send(ctx, joined(list, part))
	})
}

// joined returns the requests list[i] for all i of part as one.
func joined(list []request, part []int) (r request) {
	for _, i := range part {
		r = append(r, list[i]...)
	}
	return r
}

// partitions splits a group by partition, a partition into requests within requestRows and
// requestBytes.
func partitions(group []state.Mutation) []request {
	type open struct{ index, bytes int }
	var out []request
	byPartition := map[string]open{}
	for i := range group {
		m := &group[i]
		p := string(state.AppendKey([]byte(m.Table.Name+"\x00"), m.Table, m.Key[:len(m.Table.Partition)]))
		at, ok := byPartition[p]
		if !ok || len(out[at.index]) == requestRows || at.bytes+size(m) > requestBytes {
			at = open{index: len(out)}
			out = append(out, nil)
		}
		out[at.index] = append(out[at.index], m)
		at.bytes += size(m)
		byPartition[p] = at
	}
	return out
}

func size(m *state.Mutation) int {
	n := 0
	for _, v := range m.Key {
		n += len(v.Str())
	}
	for _, v := range m.Cells {
		n += len(v.Str())
	}
	return n
}

func (s *Store) acquire(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Store) release() { <-s.slots }

func (s *Store) send(ctx context.Context, r request) error {
	entries := entries(r)
	var err error
	if len(r) == 1 {
		err = s.query(ctx, entries[0].Stmt, entries[0].Args...).ExecRelease()
	} else {
		b := s.session.NewBatch(gocql.UnloggedBatch).WithContext(ctx)
		b.Entries = entries
		err = s.session.ExecuteBatch(b)
	}
	if err != nil {
		m := r[0]
		return fmt.Errorf("%d rows, the first of %s %v: %w", len(r), m.Table.Name, m.Key[:len(m.Table.Partition)], kindOf(err))
	}
	return nil
}

// entries returns the statements of a request, whose rows are all of one table.
func entries(r request) []gocql.BatchEntry {
	t := r[0].Table
	k := key(t)
	set, unset := insert(t), remove(t, len(k))
	list := make([]gocql.BatchEntry, len(r))
	for i, m := range r {
		args := arguments(k, m.Key)
		if m.Delete {
			list[i] = gocql.BatchEntry{Stmt: unset, Args: append([]any{m.TS}, args...), Idempotent: true}
			continue
		}
		args = append(args, arguments(t.Cells, m.Cells)...)
		list[i] = gocql.BatchEntry{Stmt: set, Args: append(args, m.TS), Idempotent: true}
	}
	return list
}
