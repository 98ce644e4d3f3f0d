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

// Source joins the shards of this process and of its peers. It implements search.Source.
type Source struct {
	Local  *index.Shards
	Peers  func() []*Peer // the current peers, without this process
	Count  int32          // of partitions, if known; else the most that any process knows of
	Logger *slog.Logger

	// Empty reports whether nothing was ever published in a partition, so that nobody has to answer
	// for it; nil: not known.
	Empty func(ctx context.Context, partition int32) bool
}

// candidate is a shard that could answer for its partition.
type candidate struct {
	part
	search.Shard
}

// View implements search.Source. Of several shards of a partition the one answers that has read
// furthest in the latest log; if two are equal, the local one. So when a partition moves, the shard
// of its former owner answers until the new owner has caught up. A peer that does not answer is
// logged.
func (s *Source) View(ctx context.Context) (search.View, error) {
	all, count := s.gather(ctx)
	slices.SortStableFunc(all, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(y.Era, x.Era), cmp.Compare(y.Offset, x.Offset))
	})
	chosen, owners := map[int32]candidate{}, map[int32]part{}
	for _, c := range all {
		if o, ok := owners[c.Partition]; c.Owned && (!ok || o.Need < c.Need) {
			owners[c.Partition] = c.part
		}
		if _, taken := chosen[c.Partition]; taken {
			c.Release()
			continue
		}
		chosen[c.Partition] = c
	}
	var v search.View
	for _, p := range slices.Sorted(maps.Keys(chosen)) {
		v.Shards = append(v.Shards, chosen[p].Shard)
		if g, partial := gap(chosen[p].part, owners); partial {
			v.Gaps = append(v.Gaps, g)
		}
	}
	for p := range max(count, 1) {
		if _, ok := chosen[p]; !ok && (s.Empty == nil || !s.Empty(ctx, p)) {
			v.Gaps = append(v.Gaps, index.Missing(p))
		}
	}
	return v, nil
}

// gap returns what the answering shard of a partition lacks; false if nothing. Only the owner of
// the partition knows how far the shard should be.
func gap(answers part, owners map[int32]part) (search.Gap, bool) {
	owner, ok := owners[answers.Partition]
	if !ok {
		return search.Gap{Partition: answers.Partition, Reason: "is as it was: no process reads the log on now"}, true
	}
	if answers.Anew != "" {
		return index.Replacing(answers.Partition, answers.Anew), true
	}
	return index.Gap(answers.Partition, answers.Offset, owner.Start, owner.Need)
}

// gather takes the local shards and asks all peers at the same time. It waits at most a quarter of
// the time left for the search, so that a silent peer does not use it up.
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
		all = append(all, candidate{part{
			p.Partition, p.Era, p.Offset, p.Owned, p.Start, p.Need, p.Anew, nil,
		}, p})
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
				all = append(all, candidate{d.part, d})
			}
		})
	}
	asked.Wait()
	return all, count
}
