package index

import (
	"context"
	"fmt"

	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
)

// Part is a snapshot of one partition's shard, with its position in the log.
type Part struct {
	Partition int32
	Era       int64  // of the log
	Offset    int64  // all records before it are in the part
	Owned     bool   // this process reads the partition and writes the shard
	Start     int64  // of the log, as its owner saw it
	Need      int64  // below this offset the part is not complete; 0 = not known
	Anew      string // why the shard is being filled anew; this is a snapshot of the old one
	*shard.Snapshot
}

// Parts takes a snapshot of every shard of the live generation, all at one moment, and returns how
// many partitions there are as far as is known here. The caller releases the snapshots. A shard
// that failed is left out.
func (s *openShards) Parts() ([]Part, int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var parts []Part
	for p := range s.count {
		h := s.live.shards[p]
		if h == nil || h.answering().Err() != nil {
			continue
		}
		snap, err := h.answering().Snapshot()
		if err != nil {
			s.deps.Logger.Error("index snapshot failed", "partition", p, "error", err)
			continue
		}
		at := snap.Position()
		part := Part{
			Partition: p, Era: at.Era, Offset: at.Offset, Owned: h.owned,
			Start: h.end.Start, Need: h.need(), Snapshot: snap,
		}
		switch {
		case h.before == nil:
		case h.before.Searchable():
			part.Anew = h.anew
		default: // the new shard answers as far as it is
			part.Need = max(part.Need, h.before.Offset())
		}
		parts = append(parts, part)
	}
	return parts, s.count
}

// View implements search.Source for a process that has all shards.
func (s *openShards) View(ctx context.Context) (search.View, error) {
	parts, count := s.Parts()
	var v search.View
	here := map[int32]bool{}
	for _, p := range parts {
		v.Shards = append(v.Shards, p)
		here[p.Partition] = true
		if g, partial := p.Gap(); partial {
			v.Gaps = append(v.Gaps, g)
		}
	}
	for p := range max(count, 1) {
		if !here[p] && (s.deps.Empty == nil || !s.deps.Empty(ctx, p)) {
			v.Gaps = append(v.Gaps, Missing(p))
		}
	}
	return v, nil
}

// Missing is the gap of a partition that no process has.
func Missing(partition int32) search.Gap {
	return search.Gap{Partition: partition, Share: 1, Reason: "cannot be asked now"}
}

// Gap returns what the part lacks, as far as is known here; false if nothing.
func (p Part) Gap() (search.Gap, bool) {
	if p.Anew != "" {
		return Replacing(p.Partition, p.Anew), true
	}
	return Gap(p.Partition, p.Offset, p.Start, p.Need)
}

// Replacing is the gap of a partition that is being filled anew while its old shard answers.
func Replacing(partition int32, why string) search.Gap {
	return search.Gap{Partition: partition, Reason: "is as it was before it was begun anew, because " + why}
}

// Gap returns what a shard at an offset lacks if it should have passed need, in a log that begins
// at start; false if it lacks nothing. Its share counts records, whatever they change.
func Gap(partition int32, offset, start, need int64) (search.Gap, bool) {
	if offset >= need {
		return search.Gap{}, false
	}
	share := min(1, float64(need-offset)/float64(max(1, need-start)))
	return search.Gap{
		Partition: partition, Share: share,
		Reason: fmt.Sprintf("is being read from the log: %s of it is missing", percent(share)),
	}, true
}

func percent(share float64) string {
	if share < 0.01 {
		return "less than 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
