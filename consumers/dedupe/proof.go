package dedupe

import (
	"context"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// proveEvery is how often a proof is written.
const proveEvery = 10 * time.Second

// proofKind names the row of the proof in table fold. The row's stamp is that of the last record in
// the fold, so a task that lost its partition cannot overwrite a newer proof of its successor.
const proofKind = "proved"

// proofs writes, now and then, a proof: an offset of docs.unique together with the digest of the
// newest records of all keys before it. The index compares its own digest with it. A proof is
// correct if the topic has exactly what the fold describes.
//
// With transactions the brokers tell: the group's commit is in one transaction with the records, so
// it says how far docs.unique is. If the commit is not at the fold's position (a transaction was
// aborted, another owner went on, a round was taken over), no proof is written. Without
// transactions, the topic may also have what a crashed owner appended after its last round: no
// proof is written until all records that were there when this owner began are settled.
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

// prove writes a proof if proveEvery has passed and the topic has exactly what the fold describes.
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

// proved returns the end of docs.unique, if before it there is exactly what the records of
// docs.extracted before next led to; else ok is false.
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

// mostMarkers is how many offsets after the last record are searched for records; if there are
// more, no proof is written.
const mostMarkers = 1000

// nothingIn reports whether a range of docs.extracted has no records, only transaction markers.
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

// Proof returns the newest proof of a partition: the digest of docs.unique before an offset, and
// the number of documents. ok is false if there is none.
func Proof(ctx context.Context, store state.Store, partition int32) (offset int64, digest uint64, documents int64, ok bool, err error) {
	row, err := readFold(ctx, store, partition, proofKind)
	if err != nil || row.At == 0 {
		return 0, 0, 0, false, err
	}
	return row.Offset, row.Digest, row.Documents, true, nil
}

// ProofOf is Proof, but only if it is about the topic with this id: an offset of another
// docs.unique means another record.
func ProofOf(ctx context.Context, store state.Store, partition int32, topicID string) (offset int64, digest uint64, documents int64, ok bool, err error) {
	row, err := readFold(ctx, store, partition, proofKind)
	if err != nil || row.At == 0 || row.UniqueId != "" && row.UniqueId != topicID {
		return 0, 0, 0, false, err
	}
	return row.Offset, row.Digest, row.Documents, true, nil
}
