package dedupe

import (
	"context"
	"errors"
	"fmt"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// The groups of writes of a round, in the order in which they become durable (journal.go).
const (
	entriesFirst = iota // and texts of clusters, which have no meaning without the fold row
	thenFold
	thenTables
)

// rows reads and writes the group's tables for the record at work. Rows of pages, clusters and
// aliases are staged once per record, at its end.
type rows struct {
	batch    *state.Batch
	ts       int64 // stamp of the record
	era      int64 // fold.uniqueEra
	docs     map[string]*docEntry
	clusters map[string]*clusterEntry
	aliases  map[string]*aliasEntry
	writes   []*schema.RowWrite // of the record at work

	lost   map[string]*schema.Lost // what docs.unique lost, by row key (lost.go)
	resent []string                // of these: whose documents this round sends again
	unsure int64                   // UniqueRow.unsure
	live   map[string]stood        // newest records of docs.unique when this owner began, if unsure
}

type docEntry struct {
	key   string
	row   *schema.DocRow
	was   schema.DocRow_Status // before the record at work
	dirty bool
}

type clusterEntry struct {
	site, hash string
	row        *schema.ClusterRow
	body       []byte // packed; nil = none
	newBody    bool
	dirty      bool
	buried     bool // the text is not needed any more; the row is deleted if it has no members

	members map[string]*schema.MemberOf // rows of cluster_member to be written, by rank; nil = deleted
}

type aliasEntry struct {
	row   *schema.AliasRow
	dirty bool
}

// begin forgets the rows of the last record.
func (r *rows) begin(ts, uniqueEra int64) {
	r.docs, r.clusters, r.aliases = map[string]*docEntry{}, map[string]*clusterEntry{}, map[string]*aliasEntry{}
	r.ts, r.era, r.writes = ts, uniqueEra, nil
}

// message is the protobuf message in a row.
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

// doc returns the row of a page; an empty one if it never had a document. What it sent counts as
// nothing if docs.unique was created anew since or lost the record.
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
		e.row.SentContent = 0 // docs.unique lacks it: whatever comes is published
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

// nextMember returns the oldest of the cluster's members in cluster_member, with what is staged.
// The first member is not among them: it is in the cluster's own row.
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
		return nil, streams.DeadLetter("state", "a cluster of %d pages of %s has no second member", c.row.Count, c.site)
	}
	return next, nil
}

// memberRank orders the members of a cluster by who had the text first, then by row key. Two pages
// can have it since the same record, if one inherited from the other (change.inherit).
func memberRank(m *schema.MemberOf) string { return fmt.Sprintf("%016x %s", m.Since, m.RowKey) }

func foldKey(partition int32, kind string) state.Key {
	return state.Key{state.Num(int64(partition)), state.Str(kind)}
}

func docKey(key string) state.Key { return state.Key{state.Str(key)} }

func aliasKey(target string) state.Key { return state.Key{state.Str(target)} }

func clusterKey(site, hash string) state.Key { return state.Key{state.Str(site), state.Str(hash)} }
