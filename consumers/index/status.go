package index

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"millrace/consumers/index/shard"
)

// ShardStatus is one shard as /readyz, the dashboard and `why` see it.
type ShardStatus struct {
	Generation int         `json:"generation"`
	Partition  int32       `json:"partition"`
	Offset     int64       `json:"offset"` // next to read
	Time       time.Time   `json:"time"`   // of the last record
	Docs       int64       `json:"docs"`
	Digest     string      `json:"digest"`
	Frozen     bool        `json:"frozen,omitempty"`     // searched, not written
	Proven     int64       `json:"proven,omitempty"`     // the last offset at which its digest was proved right
	Difference *Difference `json:"difference,omitempty"` // the digest was proved wrong: rebuild
	Error      string      `json:"error,omitempty"`
}

// Status lists the shards of the live generation.
func (s *Shards) Status() []ShardStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []ShardStatus
	for _, p := range slices.Sorted(maps.Keys(s.live.shards)) {
		h := s.live.shards[p]
		at := h.Position()
		st := ShardStatus{
			Generation: s.live.number, Partition: p, Offset: at.Offset, Time: at.Time, Docs: at.Docs, Digest: at.Digest.String(),
			Frozen: h.frozen, Proven: h.proven, Difference: h.difference,
		}
		if err := cmp.Or(h.Err(), h.hole); err != nil {
			st.Error = err.Error()
		}
		all = append(all, st)
	}
	return all
}

// prove compares a shard's fold with its proof.
func (s *Shards) prove(ctx context.Context, partition int32) error {
	offset, digest, docs, ok, err := s.opts.Proof(ctx, partition)
	if err != nil || !ok {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.live.shards[partition]
	if h == nil || offset <= h.proven {
		return nil
	}
	switch v, step := h.audit.compare(offset, shard.Digest(digest), docs); v {
	case equal:
		h.proven, h.difference = offset, nil
	case different:
		h.difference = &Difference{
			Partition: partition, Offset: offset, Docs: step.Docs, ProofDocs: docs,
			Digest: step.Digest.String(), Proof: shard.Digest(digest).String(),
		}
		s.opts.Logger.Error("index differs from docs.unique", "partition", partition, "offset", offset,
			"digest", h.difference.Digest, "proof", h.difference.Proof, "docs", step.Docs, "proof_docs", docs)
	}
	return nil
}

// Ready reports why searching is not possible or not complete here: a shard that failed. Whether the shards have
// caught up is for the caller to see from Status and the ends of the log.
func (s *Shards) Ready() error {
	all := s.Status()
	if len(all) == 0 {
		return fmt.Errorf("index: no shard is open")
	}
	for _, st := range all {
		if st.Error != "" {
			return fmt.Errorf("index: partition %d: %s", st.Partition, st.Error)
		}
	}
	return nil
}
