package dedupe

import (
	"context"
	"errors"
	"time"

	"github.com/cespare/xxhash/v2"
	"google.golang.org/protobuf/proto"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// fold is what stands on a partition of docs.unique after a record of
// docs.extracted: the XOR of the hashes of its records, and their number.
type fold struct {
	at        int64
	digest    uint64
	documents int64
}

func (f fold) row() *schema.FoldRow {
	return &schema.FoldRow{At: f.at, Digest: f.digest, Documents: f.documents}
}

// turn replaces one record of a key by another; 0 = none.
func (f *fold) turn(before, after uint64) {
	f.digest ^= before ^ after
	if before == 0 && after != 0 {
		f.documents++
	}
	if before != 0 && after == 0 {
		f.documents--
	}
}

// page returns the row of a page. What a crash left of this record in it, and
// not in the fold, comes into the fold.
func (t *task) page(ctx context.Context, key string) (*docEntry, error) {
	page, err := t.rows.doc(ctx, key)
	if err != nil || !t.books || page.loaded < t.ts || page.booked {
		return page, err
	}
	page.booked = true
	before := uint64(0)
	for _, s := range page.row.Sent {
		if s.At == t.ts {
			t.fold.turn(before, s.Record)
		}
		before = s.Record
	}
	return page, nil
}

// proveEvery is how often the fold is tied to an offset of docs.unique.
const proveEvery = 10 * time.Second

// prove writes which digest the records before an offset of docs.unique have, for
// readers to compare. All that is settled is on the topic, and nothing else: this
// partition has no other writer.
func (t *task) prove(ctx context.Context, now time.Time) error {
	log := t.p.Log()
	if log == nil {
		return nil
	}
	settled := t.settled
	end, err := log.End(ctx, topics.Unique().Name, t.p.ID())
	if err != nil {
		return err
	}
	row := settled.row()
	row.Offset = end
	st, err := row.MarshalVT()
	if err != nil {
		return err
	}
	// The row is not a function of the log, so it has the wall clock's timestamps.
	return t.opts.Store.Write(ctx, []state.Mutation{{
		Table: schema.Fold, Key: foldKey(t.p.ID(), "proof"), TS: now.UnixMicro(), Cells: state.Cells{state.Bytes(st)},
	}})
}

// Proof returns the digest of the records of a partition of docs.unique before an
// offset, as dedupe last wrote it; ok is false if it has not.
func Proof(ctx context.Context, store state.Store, partition int32) (offset int64, digest uint64, documents int64, ok bool, err error) {
	cells, err := store.Get(ctx, schema.Fold, foldKey(partition, "proof"))
	if errors.Is(err, state.ErrNotFound) {
		return 0, 0, 0, false, nil
	}
	if err != nil {
		return 0, 0, 0, false, err
	}
	var row schema.FoldRow
	if err := row.UnmarshalVT(cells[0].Bytes()); err != nil {
		return 0, 0, 0, false, err
	}
	return row.Offset, row.Digest, row.Documents, true, nil
}

// contentHash is the hash of what readers of a document care for: not its
// version, times of fetching and place in the crawl.
func contentHash(d *schema.Doc) uint64 {
	c := proto.Clone(d).(*schema.Doc)
	c.Rev, c.Edition, c.FetchedAt, c.ExtractedAt, c.DiscoveredAt = 0, 0, 0, 0, 0
	c.Score, c.Depth, c.Fit = 0, 0, false
	return xxhash.Sum64(streams.Encode(c))
}
