package dedupe

import (
	"context"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// proveEvery is how often the fold is tied to an offset of docs.unique.
const proveEvery = 10 * time.Second

// proofKind names the row. Its stamp is that of the last record in it, so a task
// that lost its partition cannot undo what its successor proved.
const proofKind = "proved"

// proofs ties the fold to an offset of docs.unique: the digest of all records before
// it. That is right if all that the fold has is on the topic, and nothing else.
//
// With transactions both are read from the brokers: the group's commit, which is in
// one transaction with the records, says how far docs.unique is. If it is not where
// the fold is (a transaction was aborted, another owner went on, a round was taken
// over), nothing is proved. Without transactions, what a crashed owner appended after
// its last round is on the topic too: nothing is proved until all records that were
// there when this owner began are settled.
type proofs struct {
	store        state.Store
	part         *streams.Partition
	transactions bool
	last         time.Time
	after        int64 // offset of docs.extracted; without transactions
}

func (s *proofs) begin(ctx context.Context) (err error) {
	if log := s.part.Log(); log != nil && !s.transactions {
		s.after, err = log.End(ctx, topics.Extracted().Name, s.part.ID())
	}
	return err
}

// prove writes a proof if it is time and there is one.
func (s *proofs) prove(ctx context.Context, now time.Time, settled fold) error {
	log := s.part.Log()
	if log == nil || settled.at == 0 || now.Sub(s.last) < proveEvery {
		return nil
	}
	next := int64(0) // offset of docs.extracted after the last record in the fold
	if at := state.Stamp(settled.at); at.Era() == s.part.Era() {
		next = at.Offset() + 1
	}
	offset, ok, err := s.proved(ctx, log, next)
	if err != nil || !ok || !s.part.Fresh() {
		return err
	}
	s.last = now
	row := settled.row()
	row.Offset, row.Graves = offset, nil
	st, err := row.MarshalVT()
	if err != nil {
		return err
	}
	return s.store.Write(ctx, []state.Mutation{{
		Table: schema.Fold, Key: foldKey(s.part.ID(), proofKind), TS: settled.at, Cells: state.Cells{state.Bytes(st)},
	}})
}

// proved returns the offset of docs.unique before which stands what the records of
// docs.extracted before next led to, and nothing else; ok is false if there is none.
func (s *proofs) proved(ctx context.Context, log *streams.Log, next int64) (offset int64, ok bool, err error) {
	if !s.transactions {
		if next < s.after {
			return 0, false, nil
		}
		offset, err = log.End(ctx, topics.Unique().Name, s.part.ID())
		return offset, err == nil, err
	}
	before, err := s.committed(ctx, log)
	if err != nil || before < next {
		return 0, false, err
	}
	offset, err = log.End(ctx, topics.Unique().Name, s.part.ID())
	if err != nil {
		return 0, false, err
	}
	appended, err := log.Appended(ctx, topics.Unique().Name, s.part.ID())
	if err != nil || appended != offset { // a transaction is open
		return 0, false, err
	}
	after, err := s.committed(ctx, log)
	if err != nil || after != before {
		return 0, false, err
	}
	empty, err := s.nothingIn(ctx, log, next, before)
	return offset, empty, err
}

func (s *proofs) committed(ctx context.Context, log *streams.Log) (int64, error) {
	done, err := log.Committed(ctx, Group, topics.Extracted().Name)
	return done[s.part.ID()].Offset, err
}

// mostMarkers is how many offsets behind the last record may be those of transactions.
const mostMarkers = 1000

// nothingIn reports whether a part of docs.extracted has no records, only markers of
// transactions.
func (s *proofs) nothingIn(ctx context.Context, log *streams.Log, from, to int64) (bool, error) {
	if from == to {
		return true, nil
	}
	if to-from > mostMarkers {
		return false, nil
	}
	empty := true
	err := log.Scan(ctx, topics.Extracted().Name, s.part.ID(), from, to, func(streams.Raw) error {
		empty = false
		return nil
	})
	return empty, err
}

// Proof returns the digest of the records of a partition of docs.unique before an
// offset, as dedupe last wrote it; ok is false if it has not.
func Proof(ctx context.Context, store state.Store, partition int32) (offset int64, digest uint64, documents int64, ok bool, err error) {
	row, err := readFold(ctx, store, partition, proofKind)
	if err != nil || row.At == 0 {
		return 0, 0, 0, false, err
	}
	return row.Offset, row.Digest, row.Documents, true, nil
}

// ProofOf is Proof, if it is about the topic with this id: an offset of another docs.unique names
// another record.
func ProofOf(ctx context.Context, store state.Store, partition int32, topicID string) (offset int64, digest uint64, documents int64, ok bool, err error) {
	row, err := readFold(ctx, store, partition, proofKind)
	if err != nil || row.At == 0 || row.UniqueId != "" && row.UniqueId != topicID {
		return 0, 0, 0, false, err
	}
	return row.Offset, row.Digest, row.Documents, true, nil
}
