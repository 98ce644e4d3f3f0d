// Package provision turns a layout into topics, tables and the meta row that all processes must
// agree on. It owns the table meta: layout, marks of the logs, scope.
//
// # Goals
//
// No process runs on a layout that is not its own, because partition counts and canonicalisation
// decide where rows are.
//
// # How it works
//
// What is missing is made. What exists is compared with the layout, and with the row that says how
// the data was made.
//
// # Promises
//
// It only adds. What exists and differs is refused with what differs.
//
// # On failure
//
// Nothing that was made is taken back; running it again goes on.
//
// # Limits
//
// It does not raise the number of partitions.
package provision

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

var metaKey = state.Key{state.Str("millrace")}

// tablesLayout is the version of the tables' keys. 2: the time wheel's rows stand by
// shard and day.
const tablesLayout = 2

// Agree makes the meta row, or checks the one that is there.
func Agree(ctx context.Context, store state.Store, l streams.Layout, canonicalizer string) (*schema.MetaRow, error) {
	want := &schema.MetaRow{
		Era: 1, HostPartitions: l.PerHost, SitePartitions: l.PerSite,
		Canonicalizer: canonicalizer, PublicSuffixList: schema.PSLVersion, Layout: tablesLayout, Token: rand.Text(),
	}
	have, err := Meta(ctx, store)
	if errors.Is(err, state.ErrNotFound) {
		return want, put(ctx, store, metaKey, want)
	}
	if err != nil {
		return nil, err
	}
	if err := Check(have, l, canonicalizer); err != nil {
		return nil, err
	}
	if have.Token == "" { // provisioned before there was one
		have.Token = want.Token
		return have, put(ctx, store, metaKey, have)
	}
	return have, nil
}

// Check reports a state that was laid out otherwise.
func Check(have *schema.MetaRow, l streams.Layout, canonicalizer string) error {
	switch {
	case have.Layout != tablesLayout:
		return fmt.Errorf("the tables were made with layout %d, this millrace reads %d: use the millrace that made them, or a new keyspace", have.Layout, tablesLayout)
	case have.Canonicalizer != canonicalizer:
		return fmt.Errorf("the state was written with canonicaliser %s, this one is %s: row keys would differ", have.Canonicalizer, canonicalizer)
	case have.HostPartitions != l.PerHost || have.SitePartitions != l.PerSite:
		return fmt.Errorf("the state is laid out for %d and %d partitions, not %d and %d", have.HostPartitions, have.SitePartitions, l.PerHost, l.PerSite)
	}
	return nil
}

// Meta reads the meta row, or says state.ErrNotFound.
func Meta(ctx context.Context, store state.Store) (*schema.MetaRow, error) {
	m := &schema.MetaRow{}
	return m, get(ctx, store, metaKey, m)
}

type message interface {
	MarshalVT() ([]byte, error)
	UnmarshalVT([]byte) error
}

func get(ctx context.Context, store state.Store, key state.Key, m message) error {
	cells, err := store.Get(ctx, schema.Meta, key)
	if err != nil {
		return err
	}
	return m.UnmarshalVT(cells[0].Bytes())
}

// put writes a row with the wall clock's timestamp: these rows follow no log.
func put(ctx context.Context, store state.Store, key state.Key, m message) error {
	st, err := m.MarshalVT()
	if err != nil {
		return err
	}
	return store.Write(ctx, []state.Mutation{{
		Table: schema.Meta, Key: key, TS: time.Now().UnixMicro(), Cells: state.Cells{state.Bytes(st)},
	}})
}
