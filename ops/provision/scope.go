package provision

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"millrace/schema"
	"millrace/streams/state"
)

var scopeKey = state.Key{state.Str("scope")}

// Scope reads how the scope of the crawl is given; nobody said yet: an empty row. Which hosts and
// sites are in it, InScope tells.
func Scope(ctx context.Context, store state.Store) (*schema.ScopeRow, error) {
	s := &schema.ScopeRow{}
	err := get(ctx, store, scopeKey, s)
	if errors.Is(err, state.ErrNotFound) {
		return s, nil
	}
	return s, err
}

// InScope reports whether a host is in a scope that was read: one read of one row.
func InScope(ctx context.Context, store state.Store, row *schema.ScopeRow, host schema.Host, site schema.Site) (bool, error) {
	name, old := string(site), row.Sites
	switch row.Mode {
	case schema.ScopeRow_ANY:
		return true, nil
	case schema.ScopeRow_UNSPECIFIED:
		return false, nil
	case schema.ScopeRow_HOST:
		name, old = host.Name(), row.Hosts
	}
	if _, ok := slices.BinarySearch(old, name); ok {
		return true, nil
	}
	return inScope(ctx, store, memberKey(row.Mode, name))
}

func inScope(ctx context.Context, store state.Store, key state.Key) (bool, error) {
	_, err := store.Get(ctx, schema.Meta, key)
	if errors.Is(err, state.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// memberKey is the row of a host or site that is in scope.
func memberKey(mode schema.ScopeRow_Mode, name string) state.Key {
	if mode == schema.ScopeRow_HOST {
		return state.Key{state.Str("scope/host/" + name)}
	}
	return state.Key{state.Str("scope/site/" + name)}
}

const (
	fewNames   = 64   // so many are looked up before they are written: then nothing may have changed
	writeNames = 1000 // rows of one write
)

// Widen adds seeds to the scope, before they are appended. It reports whether something changed, or
// may have. The cost is that of the seeds, however many there are already.
func Widen(ctx context.Context, store state.Store, mode schema.ScopeRow_Mode, seeds []schema.URL) (bool, error) {
	row, err := Scope(ctx, store)
	if err != nil {
		return false, err
	}
	names := map[string]state.Key{}
	take := func(mode schema.ScopeRow_Mode, name string) {
		k := memberKey(mode, name)
		names[k[0].Str()] = k
	}
	for _, u := range seeds {
		take(schema.ScopeRow_HOST, u.Hostname())
		take(schema.ScopeRow_SITE, string(u.Site()))
	}
	for _, h := range row.Hosts {
		take(schema.ScopeRow_HOST, h)
	}
	for _, s := range row.Sites {
		take(schema.ScopeRow_SITE, s)
	}
	changed := row.Mode < mode // a scope is never narrowed: links in it may be under way
	if !changed && len(names) <= fewNames {
		if changed, err = anyNew(ctx, store, names); err != nil || !changed {
			return false, err
		}
	}
	if err := putNames(ctx, store, names); err != nil {
		return false, err
	}
	// The row is last: whoever sees the new version finds the names.
	next := &schema.ScopeRow{Mode: max(row.Mode, mode), Version: time.Now().UnixNano()}
	return true, put(ctx, store, scopeKey, next)
}

func anyNew(ctx context.Context, store state.Store, names map[string]state.Key) (bool, error) {
	for _, key := range names {
		if known, err := inScope(ctx, store, key); err != nil || !known {
			return err == nil, err
		}
	}
	return false, nil
}

func putNames(ctx context.Context, store state.Store, names map[string]state.Key) error {
	ts := time.Now().UnixMicro()
	for some := range slices.Chunk(slices.Sorted(maps.Keys(names)), writeNames) {
		var rows []state.Mutation
		for _, name := range some {
			rows = append(rows, state.Mutation{Table: schema.Meta, Key: names[name], TS: ts, Cells: state.Cells{state.Bytes([]byte{1})}})
		}
		if err := store.Write(ctx, rows); err != nil {
			return err
		}
	}
	return nil
}
