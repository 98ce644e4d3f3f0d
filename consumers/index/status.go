package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"millrace/consumers/index/shard"
)

// ShardStatus is the state of one shard, for /readyz, the dashboard and `why`.
type ShardStatus struct {
	Generation int         `json:"generation"`
	Partition  int32       `json:"partition"`
	Era        int64       `json:"era,omitempty"`
	Offset     int64       `json:"offset"` // next to read
	Time       time.Time   `json:"time"`   // of the last record
	Docs       int64       `json:"docs"`
	Digest     string      `json:"digest"`
	Owned      bool        `json:"owned,omitempty"`      // this process writes it
	Frozen     bool        `json:"frozen,omitempty"`     // searched, not written
	Start      int64       `json:"start,omitempty"`      // of the log
	Links      int64       `json:"links,omitempty"`      // next record of the topic links to follow
	Need       int64       `json:"need,omitempty"`       // below this offset the shard is not complete; 0 = not known
	Missing    float64     `json:"missing,omitempty"`    // the share of the log that is not read yet
	Anew       string      `json:"anew,omitempty"`       // why it was filled anew since the process started
	Replacing  bool        `json:"replacing,omitempty"`  // the old shard answers until this one is complete
	Proven     int64       `json:"proven,omitempty"`     // the last offset at which a proof confirmed its digest
	Difference *Difference `json:"difference,omitempty"` // a proof contradicts its digest: rebuild
	Error      string      `json:"error,omitempty"`
}

// Status lists the shards of the live generation, and the shards on disk that could not be opened.
func (s *openShards) Status() []ShardStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []ShardStatus
	for _, h := range s.live.shards {
		all = append(all, h.status(s.live.number))
	}
	for p, err := range s.problems {
		if s.live.shards[p] == nil {
			all = append(all, ShardStatus{Generation: s.live.number, Partition: p, Frozen: true, Error: err.Error()})
		}
	}
	slices.SortFunc(all, func(a, b ShardStatus) int { return cmp.Compare(a.Partition, b.Partition) })
	return all
}

func (h *held) status(generation int) ShardStatus {
	at := h.Position()
	st := ShardStatus{
		Generation: generation, Partition: h.partition, Era: at.Era, Offset: at.Offset, Time: at.Time,
		Docs: at.Docs, Digest: at.Digest.String(), Owned: h.owned, Frozen: !h.owned,
		Links: at.Links.Next, Start: h.end.Start, Need: h.need(), Anew: h.anew, Replacing: h.before != nil && h.before.Searchable(),
		Proven: h.proven, Difference: h.difference,
	}
	if g, partial := Gap(h.partition, at.Offset, h.end.Start, h.need()); partial {
		st.Missing = g.Share
	}
	if err := cmp.Or(h.Err(), h.hole); err != nil {
		st.Error = err.Error()
	}
	return st
}

// problem returns why a shard does not answer completely; "" if it does.
func (st ShardStatus) problem() string {
	switch {
	case st.Error != "":
		return st.Error
	case st.Offset < st.Need:
		return fmt.Sprintf("at record %d of %d: %s is missing", st.Offset, st.Need, percent(st.Missing))
	case st.Replacing:
		return "the one before it still answers"
	case !st.Owned:
		return "nobody reads the log on here yet"
	}
	return ""
}

// prove compares a shard's digest with the newest proof of its partition.
func (s *openShards) prove(ctx context.Context, partition int32) error {
	proof, ok, err := s.deps.Proof(ctx, partition)
	if err != nil || !ok {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.live.shards[partition]
	if h == nil || proof.Offset <= h.proven || !h.sameLog(proof) {
		return nil
	}
	switch v, step := h.audit.compare(proof.Offset, shard.Digest(proof.Digest), proof.Documents); v {
	case equal:
		h.proven, h.difference = proof.Offset, nil
	case different:
		h.difference = &Difference{
			Partition: partition, Offset: proof.Offset, Docs: step.Docs, ProofDocs: proof.Documents,
			Digest: step.Digest.String(), Proof: shard.Digest(proof.Digest).String(),
		}
		s.deps.Logger.Error("index differs from docs.unique", "partition", partition, "offset", proof.Offset,
			"digest", h.difference.Digest, "proof", h.difference.Proof, "docs", step.Docs, "proof_docs", proof.Documents)
	}
	return nil
}

// sameLog reports whether a proof is about the log that the shard reads. In another era an offset
// means another record.
func (h *held) sameLog(p Proof) bool { return p.Era == 0 || h.end.Era == 0 || p.Era == h.end.Era }

// Ready returns an error if searching is not possible or not complete here: no shard is open, a
// partition is missing, or a shard failed, is behind the log or has no owner here.
func (s *openShards) Ready() error {
	all := s.Status()
	if len(all) == 0 {
		return errors.New("index: no shard is open")
	}
	s.mu.Lock()
	count := s.count
	s.mu.Unlock()
	have := map[int32]bool{}
	for _, st := range all {
		if p := st.problem(); p != "" {
			return fmt.Errorf("index: partition %d: %s", st.Partition, p)
		}
		have[st.Partition] = true
	}
	for p := range count {
		if !have[p] {
			return fmt.Errorf("index: partition %d is not open", p)
		}
	}
	return nil
}

// partitions lists the open shards of the live generation.
func (s *openShards) partitions() []int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.live.shards))
}

// made are the partitions that a rebuild makes: those that this process writes. A shard that was
// left here when its partition moved away is not made again: the owner has it, and what is left
// here may come from a log that is no more. Where none is written, as in a crawl that has ended,
// all are.
func (s *openShards) made() []int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var owned []int32
	for p, h := range s.live.shards {
		if h.owned {
			owned = append(owned, p)
		}
	}
	if len(owned) == 0 {
		return slices.Sorted(maps.Keys(s.live.shards))
	}
	slices.Sort(owned)
	return owned
}
