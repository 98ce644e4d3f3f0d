package dedupe

import (
	"context"

	"millrace/schema"
	"millrace/streams/state"
)

// Position returns the stamp of the last record of a partition of docs.extracted that the tables
// contain; 0 if there is none.
func Position(ctx context.Context, store state.Store, partition int32) (state.Stamp, error) {
	row, err := readFold(ctx, store, partition, foldKind)
	if err != nil {
		return 0, err
	}
	return state.Stamp(row.At), nil
}

// Counts says how many pages have a document, by what became of it.
type Counts struct {
	Documents int64 // published
	SameText  int64 // represented by another page of their site with the same text
	Aliases   int64 // not published: an alias of the page that they name as canonical
	Surplus   int64 // not published: too many pages of their site have the same text
}

// Count returns the counts of all partitions, as each was written last.
func Count(ctx context.Context, store state.Store, partitions int32) (Counts, error) {
	var sum Counts
	for p := range partitions {
		row, err := readFold(ctx, store, p, foldKind)
		if err != nil {
			return Counts{}, err
		}
		f := foldOf(row)
		sum.Documents += f.documents
		sum.SameText += f.pages[schema.DocRow_LIVE] - f.documents
		sum.Aliases += f.pages[schema.DocRow_ALIAS]
		sum.Surplus += f.pages[schema.DocRow_SURPLUS]
	}
	return sum, nil
}

// Explanation holds the facts that dedupe knows of a page.
type Explanation struct {
	Status    schema.DocRow_Status // UNSPECIFIED: it never had a document
	Rev       int64
	StandsFor string // URL of the canonical that is published instead of an alias
	Members   int64  // pages with this text
	Published string // URL under which the text is published
	TakenDown bool   // its text was taken down, with this page or another one of its site
	Reason    string // why it is gone
	MovedTo   string
}

// Explain returns what became of a page's document.
func Explain(ctx context.Context, store state.Store, key string) (Explanation, error) {
	r := rows{batch: state.NewBatch(store)}
	r.begin(0, 0)
	page, err := r.doc(ctx, key)
	if err != nil {
		return Explanation{}, err
	}
	row := page.row
	x := Explanation{Status: row.Status, Rev: row.Rev, MovedTo: row.MovedTo}
	switch row.Status {
	case schema.DocRow_ALIAS:
		x.StandsFor = schema.RowKey(row.AliasOf).URL()
	case schema.DocRow_GONE, schema.DocRow_TAKEDOWN:
		x.Reason = row.Reason.String()
	case schema.DocRow_LIVE, schema.DocRow_SURPLUS:
		c, err := r.cluster(ctx, row.Own.Site, string(row.TextHash))
		if err != nil {
			return Explanation{}, err
		}
		x.Members, x.Published, x.TakenDown = c.row.Count, schema.RowKey(c.row.Published).URL(), c.row.TakenDown != 0
	}
	return x, nil
}

// mostTwins is how many pages Twins names.
const mostTwins = 20

// Twins returns the row keys of other pages of a page's site that have its text, 20 at most.
func Twins(ctx context.Context, store state.Store, key string) ([]string, error) {
	r := rows{batch: state.NewBatch(store)}
	r.begin(0, 0)
	page, err := r.doc(ctx, key)
	if err != nil {
		return nil, err
	}
	m := memberOf(key, page.row)
	if m.hash == "" {
		return nil, nil
	}
	e, err := r.cluster(ctx, m.site, m.hash)
	if err != nil || e.row.Count < 2 {
		return nil, err
	}
	found, err := r.batch.Slice(ctx, schema.ClusterMember, clusterKey(m.site, m.hash), nil, mostTwins)
	if err != nil {
		return nil, err
	}
	members := []*schema.MemberOf{e.row.First}
	for _, row := range found {
		other := &schema.MemberOf{}
		if err := other.UnmarshalVT(row.Cells[0].Bytes()); err != nil {
			return nil, err
		}
		members = append(members, other)
	}
	var twins []string
	for _, other := range members {
		if name := other.GetRowKey(); name != "" && name != key && len(twins) < mostTwins {
			twins = append(twins, name)
		}
	}
	return twins, nil
}
