package wire

import (
	"context"
	"io"
	"strconv"

	"millrace/consumers/index"
	"millrace/consumers/index/search"
	"millrace/consumers/schedule"
)

// Search searches the index: of this process, or on a cluster of all processes.
func (s *groups) Search(ctx context.Context, query string, from, size int) (*search.Result, error) {
	return s.Ask(ctx, search.Request{Query: query, Offset: from, Size: size})
}

// Ask is Search with all options.
func (s *groups) Ask(ctx context.Context, r search.Request) (*search.Result, error) {
	return s.searcher.Search(ctx, r)
}

// Suggest completes a query.
func (s *groups) Suggest(ctx context.Context, typed string, limit int) ([]string, error) {
	return s.searcher.Suggest(ctx, typed, limit)
}

// Frontier returns what the frontier knows of a URL.
func (s *groups) Frontier(ctx context.Context, url string) (schedule.Story, error) {
	return schedule.Explain(ctx, s.Store, s.Canon, s.scheduleOptions(), url)
}

// Shard is a shard of the index of this process.
type Shard struct {
	Docs   int64
	Digest uint64
}

// Shard returns the state of a shard of this process; zero if it has none of the partition.
func (s *groups) Shard(partition int32) Shard {
	for _, h := range s.shards.Status() {
		if h.Partition == partition {
			d, _ := strconv.ParseUint(h.Digest, 16, 64)
			return Shard{h.Docs, d}
		}
	}
	return Shard{}
}

// DumpShard writes everything that a query can see of a partition of this process's index, in
// canonical form: two indexes of one fold have equal dumps (I8). It holds the dump in memory.
func (s *groups) DumpShard(partition int32, to io.Writer) error {
	parts, _ := s.shards.Parts()
	var err error
	for _, p := range parts {
		if p.Partition == partition {
			err = p.Dump(to)
		}
		p.Release()
	}
	return err
}

// Shards lists the shards of the index that this process has.
func (s *groups) Shards() []index.ShardStatus { return s.shards.Status() }
