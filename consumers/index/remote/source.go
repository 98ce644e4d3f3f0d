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
	part
	search.Shard
}

// View implements search.Source. Of several shards of a partition the one that is furthest along in
// the latest log answers, of equals the local one. So the frozen shard of a process that lost a
// partition answers until its new owner has caught up with it.
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
		if _, ok := chosen[p]; !ok {
			v.Gaps = append(v.Gaps, index.Missing(p))
		}
	}
	return v, nil
}

// gap tells what the shard that answers for a partition lacks. What it should have, only the owner
// of the partition knows.
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

// gather asks everyone at once. A peer that says nothing may not use up the time of the search: it
// gets a
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
