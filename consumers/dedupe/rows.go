package dedupe

import (
	"context"
	"errors"
	"strings"

	"github.com/klauspost/compress/s2"

	"millrace/schema"
	"millrace/streams/state"
)

// The order in which the rows of a round become durable.
const (
	docsFirst = iota
	thenMembers
	thenClusters
	thenFold
)

// rows reads and writes the group's tables for the record at work. A row is
// written once a record, when all is known of it; a row that a crash left with
// this record's effects in it, or later ones, is not written again.
type rows struct {
	b        *state.Batch
	docs     map[string]*docEntry
	clusters map[string]*clusterEntry
	aliases  map[string]*schema.AliasRow
}

type docEntry struct {
	row    *schema.DocRow
	loaded int64 // its timestamp as read
	dirty  bool
	booked bool // page has looked at it
}

type clusterEntry struct {
	site, hash string
	row        *schema.ClusterRow
	body       []byte // packed; nil = none
	newBody    bool
	loaded     int64
	dirty      bool
}

// begin forgets the last record's rows.
func (r *rows) begin() {
	r.docs = map[string]*docEntry{}
	r.clusters = map[string]*clusterEntry{}
	r.aliases = map[string]*schema.AliasRow{}
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

func (r *rows) put(group int, t *schema.Table, key state.Key, ts int64, m message, more ...state.Value) error {
	st, err := m.MarshalVT()
	if err != nil {
		return err
	}
	return r.b.Put(group, state.Mutation{Table: t, Key: key, TS: ts, Cells: append(state.Cells{state.Bytes(st)}, more...)})
}

// doc returns the row of a page; an empty one if it never had a document.
func (r *rows) doc(ctx context.Context, key string) (*docEntry, error) {
	if e := r.docs[key]; e != nil {
		return e, nil
	}
	e := &docEntry{row: &schema.DocRow{}}
	if _, err := r.get(ctx, schema.DocTable, state.Key{state.Str(key)}, e.row); err != nil {
		return nil, err
	}
	e.loaded = e.row.Written
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
	e.loaded = e.row.At
	r.clusters[site+"\x00"+hash] = e
	return e, nil
}

// alias returns the pages that name a page as their canonical.
func (r *rows) alias(ctx context.Context, target string) (*schema.AliasRow, error) {
	if a := r.aliases[target]; a != nil {
		return a, nil
	}
	a := &schema.AliasRow{}
	_, err := r.get(ctx, schema.Alias, state.Key{state.Str(target)}, a)
	r.aliases[target] = a
	return a, err
}

func (r *rows) putAlias(target string, a *schema.AliasRow, ts int64) error {
	return r.put(docsFirst, schema.Alias, state.Key{state.Str(target)}, ts, a)
}

// fold returns the digest of a partition.
func (r *rows) fold(ctx context.Context, partition int32) (schema.FoldRow, error) {
	var f schema.FoldRow
	_, err := r.get(ctx, schema.Fold, foldKey(partition, "fold"), &f)
	return schema.FoldRow{At: f.At, Digest: f.Digest, Documents: f.Documents}, err
}

func foldKey(partition int32, kind string) state.Key {
	return state.Key{state.Num(int64(partition)), state.Str(kind)}
}

func clusterKey(site, hash string) state.Key {
	return state.Key{state.Str(site), state.Bytes([]byte(hash))}
}

func memberKey(site, hash, rank string) state.Key {
	return append(clusterKey(site, hash), state.Str(rank))
}

// keep stages what the record changed.
func (r *rows) keep(ts int64) error {
	for key, e := range r.docs {
		if !e.dirty || e.loaded >= ts {
			continue
		}
		e.row.Written = ts
		if err := r.put(docsFirst, schema.DocTable, state.Key{state.Str(key)}, ts, e.row); err != nil {
			return err
		}
	}
	for _, e := range r.clusters {
		if !e.dirty || e.loaded >= ts {
			continue
		}
		if err := r.putCluster(e, ts); err != nil {
			return err
		}
	}
	return nil
}

func (r *rows) putCluster(e *clusterEntry, ts int64) error {
	key := clusterKey(e.site, e.hash)
	if e.row.Count <= 0 && e.row.Published == "" {
		return r.b.Put(thenClusters, state.Mutation{Table: schema.Cluster, Key: key, TS: ts, Delete: true})
	}
	e.row.At = ts
	body := state.Value{}
	if e.newBody {
		body = state.Bytes(e.body)
	}
	return r.put(thenClusters, schema.Cluster, key, ts, e.row, body)
}

func (r *rows) putMember(site, hash, rank, key string, ts int64) error {
	return r.put(thenMembers, schema.ClusterMember, memberKey(site, hash, rank), ts, &schema.MemberOf{RowKey: key})
}

// dropMember deletes a row, if it is there.
func (r *rows) dropMember(ctx context.Context, site, hash, rank string, ts int64) error {
	there, err := r.isMember(ctx, site, hash, rank)
	if err != nil || !there {
		return err
	}
	return r.b.Put(thenMembers, state.Mutation{
		Table: schema.ClusterMember, Key: memberKey(site, hash, rank), TS: ts, Delete: true,
	})
}

func (r *rows) isMember(ctx context.Context, site, hash, rank string) (bool, error) {
	_, err := r.b.Get(ctx, schema.ClusterMember, memberKey(site, hash, rank))
	if errors.Is(err, state.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// named reports whether a member names target as its canonical.
func (r *rows) named(ctx context.Context, site, hash, target string) (bool, error) {
	from := naming(target, "")
	found, err := r.b.Slice(ctx, schema.ClusterMember, clusterKey(site, hash), []state.Value{state.Str(from)}, 1)
	if err != nil || len(found) == 0 {
		return false, err
	}
	return strings.HasPrefix(rankOf(found[0]), from), nil
}

// first returns the row key of the first member, or "".
func (r *rows) first(ctx context.Context, site, hash string) (string, error) {
	found, err := r.b.Slice(ctx, schema.ClusterMember, clusterKey(site, hash), nil, 1)
	if err != nil || len(found) == 0 || strings.HasPrefix(rankOf(found[0]), rankNaming) {
		return "", err
	}
	var m schema.MemberOf
	err = m.UnmarshalVT(found[0].Cells[0].Bytes())
	return m.RowKey, err
}

// countMembers counts the members, up to limit.
func (r *rows) countMembers(ctx context.Context, site, hash string, limit int64) (int64, error) {
	found, err := r.b.Slice(ctx, schema.ClusterMember, clusterKey(site, hash), nil, int(limit))
	n := int64(0)
	for _, row := range found {
		if !strings.HasPrefix(rankOf(row), rankNaming) {
			n++
		}
	}
	return n, err
}

func rankOf(row state.Row) string { return row.Key[2].Str() }

// pack compresses what the members of a cluster have in common.
func pack(body *schema.Doc) ([]byte, error) {
	b, err := body.MarshalVT()
	return s2.Encode(nil, b), err
}

func unpack(b []byte) (*schema.Doc, error) {
	raw, err := s2.Decode(nil, b)
	if err != nil {
		return nil, err
	}
	d := &schema.Doc{}
	return d, d.UnmarshalVT(raw)
}
