package remote

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"millrace/consumers/index"
	"millrace/consumers/index/search"
)

// Source is one index of the shards here and at the peers. It implements search.Source.
type Source struct {
	Local  *index.Shards
	Peers  func() []*Peer // the peers there are now, without this process
	Count  int32          // partitions, if that is known; else the most that anyone knows of
	Logger *slog.Logger
}

// candidate is a shard that could answer for its partition.
type candidate struct {
	partition int32
	offset    int64
	search.Shard
}

// View implements search.Source.
func (s *Source) View(ctx context.Context) (search.View, error) {
	all, count := s.gather(ctx)
	// The one that is further along comes first; of equals the local one, which was gathered first.
	slices.SortStableFunc(all, func(x, y candidate) int { return cmp.Compare(y.offset, x.offset) })
	chosen := map[int32]candidate{}
	for _, c := range all {
		if _, taken := chosen[c.partition]; taken {
			c.Release()
			continue
		}
		chosen[c.partition] = c
	}
	var v search.View
	for _, p := range slices.Sorted(maps.Keys(chosen)) {
		v.Shards = append(v.Shards, chosen[p].Shard)
	}
	for p := range max(count, 1) {
		if _, ok := chosen[p]; !ok {
			v.Missing = append(v.Missing, index.Missing(p))
		}
	}
	return v, nil
}

// gather asks everyone at once. A peer that says nothing may not use up the time of the search: it gets a
// quarter.
func (s *Source) gather(ctx context.Context) ([]candidate, int32) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/4)
		defer cancel()
	}
	parts, count := s.Local.Parts()
	count = max(count, s.Count)
	var all []candidate
	for _, p := range parts {
		all = append(all, candidate{p.Partition, p.Offset, p})
	}
	var asked sync.WaitGroup
	var mu sync.Mutex
	for _, peer := range s.Peers() {
		asked.Go(func() {
			shards, known, err := peer.view(ctx)
			if err != nil {
				s.Logger.Warn("index peer did not answer", "peer", peer.URL, "error", err)
			}
			mu.Lock()
			defer mu.Unlock()
			count = max(count, known)
			for _, d := range shards {
				all = append(all, candidate{d.part.Partition, d.part.Offset, d})
			}
		})
	}
	asked.Wait()
	return all, count
}
