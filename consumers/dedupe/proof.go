package dedupe

import (
	"context"
	"errors"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// proveEvery is how often the fold is tied to an offset of docs.unique.
const proveEvery = 10 * time.Second

// proofs says when the fold may be tied to the end of docs.unique. After a crash
// there may be records there that the fold has not: those of rounds that are
// repeated. So there is none until all is read again that could have led to them.
type proofs struct {
	last    time.Time
	after   int64 // offset of docs.extracted
	seen    int64 // one past the last record handled
	settled int64 // seen, as of the last Settle
}

func (s *proofs) begin(ctx context.Context, p *streams.Partition) error {
	log := p.Log()
	if log == nil {
		return nil
	}
	done, err := log.Committed(ctx, "dedupe", topics.Extracted().Name)
	if err != nil {
		return err
	}
	s.settled = done[p.ID()].Offset
	s.after, err = log.End(ctx, topics.Extracted().Name, p.ID())
	return err
}

// prove writes which digest the records before an offset of docs.unique have, for
// readers to compare. All that is settled is on the topic, and nothing else: this
// partition has no other writer.
func (t *task) prove(ctx context.Context, now time.Time) error {
	log := t.p.Log()
	if log == nil || t.proofs.settled < t.proofs.after || now.Sub(t.proofs.last) < proveEvery {
		return nil
	}
	t.proofs.last = now
	end, err := log.End(ctx, topics.Unique().Name, t.p.ID())
	if err != nil {
		return err
	}
	row := t.settled.row()
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
