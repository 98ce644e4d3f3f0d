package dedupe

import (
	"context"
	"errors"
	"fmt"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// The order in which the rows of a round become durable (journal.go).
const (
	entriesFirst = iota // and texts of clusters, which mean nothing on their own
	thenFold
	thenTables
)

// rows reads and writes the group's tables for the record at work. Rows of pages,
// clusters and aliases are written once a record, when all is known of them.
type rows struct {
	batch    *state.Batch
	ts       int64 // stamp of the record
	era      int64 // fold.uniqueEra
	docs     map[string]*docEntry
	clusters map[string]*clusterEntry
	aliases  map[string]*aliasEntry
	writes   []*schema.RowWrite // of the record so far

	lost   map[string]*schema.Lost // what docs.unique lost, by row key (lost.go)
	unsure int64                   // UniqueRow.unsure
	live   map[string]stood        // what stood on docs.unique when this owner began, if unsure
}

type docEntry struct {
	key   string
	row   *schema.DocRow
	was   schema.DocRow_Status // before the record
	dirty bool
}

type clusterEntry struct {
	site, hash string
	row        *schema.ClusterRow
	body       []byte // packed; nil = none
	newBody    bool
	dirty      bool
	buried     bool // its text is needed no more, if it has no members

	members map[string]*schema.MemberOf // rows of cluster_member to be written, by rank; nil = deleted
}

type aliasEntry struct {
	row   *schema.AliasRow
	dirty bool
}

// begin forgets the last record's rows.
func (r *rows) begin(ts, uniqueEra int64) {
	r.docs, r.clusters, r.aliases = map[string]*docEntry{}, map[string]*clusterEntry{}, map[string]*aliasEntry{}
	r.ts, r.era, r.writes = ts, uniqueEra, nil
}

// message is a row's state.
type message interface {
	UnmarshalVT([]byte) error
	MarshalVT() ([]byte, error)
}

// read reads a row; the cells are nil if it is not there.
func (r *rows) read(ctx context.Context, t *schema.Table, key state.Key, m message) (state.Cells, error) {
	cells, err := r.batch.Get(ctx, t, key)
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
	if _, err := r.read(ctx, schema.DocTable, docKey(key), e.row); err != nil {
		return nil, err
	}
	if e.row.SentEra != r.era {
		e.row.Sent, e.row.SentContent, e.row.SentBytes = 0, 0, 0
	}
	e.was = e.row.Status
	if r.isLost(e) {
		e.row.SentContent = 0 // readers do not have it: whatever comes is published
	}
	r.docs[key] = e
	return e, nil
}

// cluster returns the row of a cluster; an empty one if it has no members.
func (r *rows) cluster(ctx context.Context, site, hash string) (*clusterEntry, error) {
	if e := r.clusters[site+"\x00"+hash]; e != nil {
		return e, nil
	}
	e := &clusterEntry{site: site, hash: hash, row: &schema.ClusterRow{}, members: map[string]*schema.MemberOf{}}
	cells, err := r.read(ctx, schema.Cluster, clusterKey(site, hash), e.row)
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
	if _, err := r.read(ctx, schema.Alias, aliasKey(target), a.row); err != nil {
		return nil, err
	}
	r.aliases[target] = a
	return a, nil
}

// nextMember returns the member that was there first of those in cluster_member.
func (r *rows) nextMember(ctx context.Context, c *clusterEntry) (*schema.MemberOf, error) {
	found, err := r.batch.Slice(ctx, schema.ClusterMember, clusterKey(c.site, c.hash), nil, 1+len(c.members))
	if err != nil {
		return nil, err
	}
	var next *schema.MemberOf
	for _, row := range found {
		if _, changed := c.members[row.Key[2].Str()]; !changed {
			next = &schema.MemberOf{}
			if err := next.UnmarshalVT(row.Cells[0].Bytes()); err != nil {
				return nil, err
			}
			break
		}
	}
	for _, m := range c.members {
		if m != nil && (next == nil || memberRank(m) < memberRank(next)) {
			next = m
		}
	}
	if next == nil {
		return nil, streams.Poison("state", "a cluster of %d pages of %s has no second member", c.row.Count, c.site)
	}
	return next, nil
}

// memberRank orders the members of a cluster by who had the text first. Pages have
// it since the same record if one took the place of the other (change.inherit).
func memberRank(m *schema.MemberOf) string { return fmt.Sprintf("%016x %s", m.Since, m.RowKey) }

func foldKey(partition int32, kind string) state.Key {
	return state.Key{state.Num(int64(partition)), state.Str(kind)}
}

func docKey(key string) state.Key { return state.Key{state.Str(key)} }

func aliasKey(target string) state.Key { return state.Key{state.Str(target)} }

func clusterKey(site, hash string) state.Key { return state.Key{state.Str(site), state.Str(hash)} }
