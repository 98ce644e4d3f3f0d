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
		x.Members, x.Published = c.row.Count, schema.RowKey(c.row.Published).URL()
	}
	return x, nil
}
