package dedupe

import (
	"context"
	"errors"
	"sync"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// ahead is the store together with the rows of one round in memory, which fetchRound reads in
// parallel. A row that is not in memory is read from the store, and counted in reads. Nobody else
// writes these rows during a round, and journal.overtaken detects it if somebody does, so the rows
// in memory are never stale. For one goroutine only; fetch starts others and waits for them.
type ahead struct {
	state.Store
	rows  map[string]answer
	bytes int
	reads int // reads that went to the store
}

type answer struct {
	cells state.Cells
	err   error
}

func (r answer) unread() bool { return r.cells == nil && r.err == nil }

const (
	maxAheadBytes = 16 << 20 // bytes of rows in memory; further rows are read when they are needed
	aheadAtOnce   = 128      // reads at the same time
)

func newAhead(store state.Store) *ahead { return &ahead{Store: store, rows: map[string]answer{}} }

// forget drops the rows: the round is over, or another owner wrote some of them.
func (a *ahead) forget() {
	clear(a.rows)
	a.bytes = 0
}

// Get implements state.Store.
func (a *ahead) Get(ctx context.Context, t *schema.Table, key state.Key) (state.Cells, error) {
	if r, ok := a.rows[rowName(t, key)]; ok {
		return r.cells, r.err
	}
	a.reads++
	return a.Store.Get(ctx, t, key)
}

// Slice implements state.Store.
func (a *ahead) Slice(ctx context.Context, t *schema.Table, partition state.Key, from []state.Value, limit int) ([]state.Row, error) {
	a.reads++
	return a.Store.Slice(ctx, t, partition, from, limit)
}

func rowName(t *schema.Table, key state.Key) string {
	return string(state.AppendKey([]byte(t.Name+"\x00"), t, key))
}

// preparing is a task that reads the rows of a round before it handles the records.
type preparing struct{ *task }

// Prepare reads the rows of a round in parallel. An error makes the loop repeat the round.
func (t *preparing) Prepare(ctx context.Context, records []*streams.Record[*schema.Extracted]) error {
	t.savepoint()
	t.ahead.forget()
	var list []subject
	for _, r := range records {
		if in, err := read(r); err == nil {
			list = append(list, in)
		}
	}
	if err := t.ahead.fetchRound(ctx, list); err != nil {
		return err
	}
	return t.checkAlone(ctx)
}

// wanted is a row that is to be read.
type wanted struct {
	table *schema.Table
	key   state.Key
}

// fetchRound reads the rows that the records of a round need, in two steps: first those that the
// records name, then those that the rows of their pages and clusters name.
func (a *ahead) fetchRound(ctx context.Context, list []subject) error {
	var first []wanted
	for _, in := range list {
		first = append(first, wanted{schema.DocTable, docKey(in.key)}, wanted{schema.Alias, aliasKey(in.key)})
		if d := in.doc; d != nil {
			first = append(first, wanted{schema.Cluster, clusterKey(d.Site, string(d.TextHash))})
			if to := canonicalOf(d.RowKey, &schema.DocRow{Own: d}); to != "" {
				first = append(first, wanted{schema.DocTable, docKey(to)}, wanted{schema.Alias, aliasKey(to)})
			}
		}
	}
	if err := a.fetch(ctx, first); err != nil {
		return err
	}
	var then []wanted
	for _, in := range list {
		then = a.named(then, in)
	}
	return a.fetch(ctx, then)
}

// named adds to list the rows that a page's rows name: its old cluster, its old canonical, the
// pages that represent its clusters, and the pages that name it as canonical.
func (a *ahead) named(list []wanted, in subject) []wanted {
	doc, alias, cluster := &schema.DocRow{}, &schema.AliasRow{}, &schema.ClusterRow{}
	if a.have(schema.DocTable, docKey(in.key), doc) && doc.Own != nil {
		if in.doc == nil || string(in.doc.TextHash) != string(doc.TextHash) {
			list = append(list, wanted{schema.Cluster, clusterKey(doc.Own.Site, string(doc.TextHash))})
		}
		if to := canonicalOf(in.key, doc); to != "" && (in.doc == nil || in.doc.Canonical != to) {
			list = append(list, wanted{schema.Alias, aliasKey(to)})
		}
	}
	if a.have(schema.Alias, aliasKey(in.key), alias) {
		for _, key := range alias.RowKeys {
			list = append(list, wanted{schema.DocTable, docKey(key)})
		}
	}
	if in.doc != nil && a.have(schema.Cluster, clusterKey(in.site, string(in.doc.TextHash)), cluster) {
		for _, key := range []string{cluster.Published, cluster.First.GetNames()} {
			if key != "" {
				list = append(list, wanted{schema.DocTable, docKey(key)})
			}
		}
	}
	return list
}

// have decodes a row from memory, and reports whether it is there.
func (a *ahead) have(t *schema.Table, key state.Key, m message) bool {
	r, ok := a.rows[rowName(t, key)]
	return ok && r.err == nil && m.UnmarshalVT(r.cells[0].Bytes()) == nil
}

// fetch reads rows in parallel, except those that are in memory already. It returns all errors
// joined; ErrNotFound is an answer and not an error.
func (a *ahead) fetch(ctx context.Context, list []wanted) error {
	missing := map[string]wanted{}
	for _, w := range list {
		if name := rowName(w.table, w.key); a.rows[name].unread() {
			missing[name] = w
		}
	}
	a.reads += len(missing)
	var mu sync.Mutex // guards a
	var failed error
	var all sync.WaitGroup
	slots := make(chan struct{}, aheadAtOnce)
	for name, w := range missing {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			cells, err := a.Store.Get(ctx, w.table, w.key)
			mu.Lock()
			defer mu.Unlock()
			if err != nil && !errors.Is(err, state.ErrNotFound) {
				failed = errors.Join(failed, err)
				return
			}
			a.keep(name, answer{cells, err})
		})
	}
	all.Wait()
	return failed
}

func (a *ahead) keep(name string, r answer) {
	size := len(name)
	for _, v := range r.cells {
		size += len(v.Str())
	}
	if a.bytes+size <= maxAheadBytes {
		a.bytes += size
		a.rows[name] = r
	}
}
