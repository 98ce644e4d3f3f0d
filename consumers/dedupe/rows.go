package dedupe

import (
	"context"
	"errors"
	"strings"

	"millrace/schema"
	"millrace/streams/state"
)

// The order in which the rows of a round become durable (journal.go).
const (
	entriesFirst = iota
	thenFold
	thenTables
)

// rows reads and writes the group's tables for the record at work. Rows of pages,
// clusters and aliases are written once a record, when all is known of them.
type rows struct {
	b        *state.Batch
	ts       int64
	docs     map[string]*docEntry
	clusters map[string]*clusterEntry
	aliases  map[string]*aliasEntry
	writes   []*schema.RowWrite // of the record so far
}

type docEntry struct {
	key   string
	row   *schema.DocRow
	dirty bool
}

type clusterEntry struct {
	site, hash string
	row        *schema.ClusterRow
	body       []byte // packed; nil = none
	newBody    bool
	dirty      bool
}

type aliasEntry struct {
	row   *schema.AliasRow
	dirty bool
}

// begin forgets the last record's rows.
func (r *rows) begin(ts int64) {
	if r.docs == nil {
		r.docs, r.clusters, r.aliases = map[string]*docEntry{}, map[string]*clusterEntry{}, map[string]*aliasEntry{}
	}
	clear(r.docs)
	clear(r.clusters)
	clear(r.aliases)
	r.ts, r.writes = ts, nil
}

// message is a row's state.
type message interface {
	UnmarshalVT([]byte) error
	MarshalVT() ([]byte, error)
}

func (r *rows) get(ctx context.Context, t *schema.Table, key state.Key, m message) (state.Cells, error) {
	cells, err := r.b.Get(ctx, t, key)
	if errors.Is(err, state.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return cells, m.UnmarshalVT(cells[0].Bytes())
}

// doc returns the row of a page; an empty one if it never had a document.
func (r *rows) doc(ctx context.Context, key string) (*docEntry, error) {
	if e := r.docs[key]; e != nil {
		return e, nil
	}
	e := &docEntry{key: key, row: &schema.DocRow{}}
	if _, err := r.get(ctx, schema.DocTable, state.Key{state.Str(key)}, e.row); err != nil {
		return nil, err
	}
	r.docs[key] = e
	return e, nil
}

// cluster returns the row of a cluster; an empty one if it has no members.
func (r *rows) cluster(ctx context.Context, site, hash string) (*clusterEntry, error) {
	if e := r.clusters[site+"\x00"+hash]; e != nil {
		return e, nil
	}
	e := &clusterEntry{site: site, hash: hash, row: &schema.ClusterRow{}}
	cells, err := r.get(ctx, schema.Cluster, clusterKey(site, hash), e.row)
	if err != nil {
		return nil, err
	}
	if len(cells) > 1 && cells[1].IsSet() {
		e.body = cells[1].Bytes()
	}
	r.clusters[site+"\x00"+hash] = e
	return e, nil
}

// alias returns the pages that name a page as their canonical.
func (r *rows) alias(ctx context.Context, target string) (*aliasEntry, error) {
	if a := r.aliases[target]; a != nil {
		return a, nil
	}
	a := &aliasEntry{row: &schema.AliasRow{}}
	if _, err := r.get(ctx, schema.Alias, state.Key{state.Str(target)}, a.row); err != nil {
		return nil, err
	}
	r.aliases[target] = a
	return a, nil
}

func foldKey(partition int32, kind string) state.Key {
	return state.Key{state.Num(int64(partition)), state.Str(kind)}
}

func clusterKey(site, hash string) state.Key { return state.Key{state.Str(site), state.Str(hash)} }

func rankOf(row state.Row) string { return row.Key[2].Str() }

// isMember reports whether a row of cluster_member is there.
func (r *rows) isMember(ctx context.Context, c *clusterEntry, rank string) (bool, error) {
	_, err := r.b.Get(ctx, schema.ClusterMember, append(clusterKey(c.site, c.hash), state.Str(rank)))
	if errors.Is(err, state.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// named reports whether a member names target as its canonical.
func (r *rows) named(ctx context.Context, c *clusterEntry, target string) (bool, error) {
	if c.row.Naming == 0 {
		return false, nil
	}
	from := naming(target, "")
	found, err := r.b.Slice(ctx, schema.ClusterMember, clusterKey(c.site, c.hash), []state.Value{state.Str(from)}, 1)
	if err != nil || len(found) == 0 {
		return false, err
	}
	return strings.HasPrefix(rankOf(found[0]), from), nil
}

// first returns the row key of the first member, or "".
func (r *rows) first(ctx context.Context, c *clusterEntry) (string, error) {
	found, err := r.b.Slice(ctx, schema.ClusterMember, clusterKey(c.site, c.hash), nil, 1)
	if err != nil || len(found) == 0 || strings.HasPrefix(rankOf(found[0]), rankNaming) {
		return "", err
	}
	var m schema.MemberOf
	err = m.UnmarshalVT(found[0].Cells[0].Bytes())
	return m.RowKey, err
}
