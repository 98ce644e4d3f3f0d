package dedupe

import (
	"context"
	"errors"
	"sync"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// ahead is the store with the rows of a round in memory: those that fetchRound read
// all at the same time. What it does not have it asks the store for, and counts.
// Nobody else writes these rows during a round (journal.overtaken tells), so they
// need no other care. It is for one goroutine, but for what fetch does inside.
type ahead struct {
	state.Store
	rows  map[string]answer
	bytes int
	reads int // that went to the store
}

type answer struct {
	cells state.Cells
	err   error
}

func (r answer) unread() bool { return r.cells == nil && r.err == nil }

const (
	maxAheadBytes = 16 << 20 // of rows; what comes later is read when it is needed
	aheadAtOnce   = 128      // reads on their way
)

func newAhead(store state.Store) *ahead { return &ahead{Store: store, rows: map[string]answer{}} }

// forget drops the rows: a round is over, or somebody else wrote some.
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

// preparing is a task that reads ahead.
type preparing struct{ *task }

// Prepare reads the rows of a round at the same time.
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

// fetchRound reads what the records of a round need: first what they name, then
// what the rows of their pages and clusters name.
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

// named adds the rows that those of a page name: its old cluster and canonical, the
// pages that stand for its clusters, and those that name it.
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

// have decodes a row that was read, and reports whether it is there.
func (a *ahead) have(t *schema.Table, key state.Key, m message) bool {
	r, ok := a.rows[rowName(t, key)]
	return ok && r.err == nil && m.UnmarshalVT(r.cells[0].Bytes()) == nil
}

// fetch reads rows at the same time. Those that it has are not read again.
func (a *ahead) fetch(ctx context.Context, list []wanted) error {
	missing := map[string]wanted{}
	for _, w := range list {
		if name := rowName(w.table, w.key); a.rows[name].unread() {
			missing[name] = w
		}
	}
	a.reads += len(missing)
	var mu sync.Mutex // of a, while it is read
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
