package scylla

import (
	"context"
	"fmt"
	"sync"

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
		if err := s.writeAll(ctx, requests(group)); err != nil {
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

// requests splits a group by partition, a partition into requests within requestRows and
// requestBytes, and puts small ones of a table together.
func requests(group []state.Mutation) []request { return mixed(partitions(group)) }

// mixed puts requests of different partitions of a table together, within mixedPartitions and
// mixedBytes.
func mixed(list []request) []request {
	type open struct{ index, partitions, bytes int }
	var out []request
	byTable := map[*schema.Table]open{}
	for _, r := range list {
		n := 0
		for _, m := range r {
			n += size(m)
		}
		at, ok := byTable[r[0].Table]
		if !ok || at.partitions == mixedPartitions || at.bytes+n > mixedBytes || len(out[at.index])+len(r) > requestRows {
			at = open{index: len(out)}
			out = append(out, nil)
		}
		out[at.index] = append(out[at.index], r...)
		at.partitions, at.bytes = at.partitions+1, at.bytes+n
		byTable[r[0].Table] = at
	}
	return out
}

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

// writeAll sends requests at the same time, at most Options.Parallel over all calls, and returns
// when all are answered. After an error it sends no more.
func (s *Store) writeAll(ctx context.Context, list []request) error {
	if len(list) == 1 { // without a goroutine
		if err := s.acquire(ctx); err != nil {
			return err
		}
		defer s.release()
		return s.send(ctx, list[0])
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, r := range list {
		if s.acquire(ctx) != nil {
			break
		}
		wg.Go(func() {
			defer s.release()
			if err := s.send(ctx, r); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
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
