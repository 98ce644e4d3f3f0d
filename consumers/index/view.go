package index

import (
	"context"
	"fmt"

	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
)

// Part is a snapshot of one partition's shard.
type Part struct {
	Partition int32
	Offset    int64
	*shard.Snapshot
}

// Parts takes a snapshot of every shard of the live generation, all of one moment, and tells how many partitions
// there are as far as known here. The caller releases them.
func (s *Shards) Parts() ([]Part, int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var parts []Part
	for p := range s.count {
		h := s.live.shards[p]
		if h == nil {
			continue
		}
		snap, err := h.Snapshot()
		if err != nil {
			s.opts.Logger.Error("index snapshot failed", "partition", p, "error", err)
			continue
		}
		parts = append(parts, Part{p, snap.Position().Offset, snap})
	}
	return parts, s.count
}

// View implements search.Source for a process that has all shards.
func (s *Shards) View(context.Context) (search.View, error) {
	parts, count := s.Parts()
	var v search.View
	here := map[int32]bool{}
	for _, p := range parts {
		v.Shards = append(v.Shards, p)
		here[p.Partition] = true
	}
	for p := range max(count, 1) {
		if !here[p] {
			v.Missing = append(v.Missing, Missing(p))
		}
	}
	return v, nil
}

// Missing is the warning about a partition that nobody has.
func Missing(partition int32) string {
	return fmt.Sprintf("part %d of the index cannot be asked now", partition)
}
