package search

import (
	"context"
	"fmt"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// Shard is an unchanging view of one shard, for one query.
type Shard interface {
	Analysers() []text.Analyser
	Stats(ctx context.Context, words []rank.Word) (rank.Stats, error)
	Top(ctx context.Context, plan *rank.Plan) (rank.Top, error)
	Page(ctx context.Context, ref rank.Ref) (rank.Page, error)
	Lookup(ctx context.Context, key string) (page rank.Page, ok bool, err error) // the page with a row key
	Vocabulary(ctx context.Context, look *rank.Lookup) ([]rank.Form, error)
	Release() error
}

// View is a view of all shards at one moment.
type View struct {
	Shards []Shard
	Gaps   []Gap
}

// Gap is a partition that a view lacks, wholly or in part.
type Gap struct {
	Partition int32   `json:"partition"`
	Share     float64 `json:"share"` // that is missing, about; 1 = all, 0 = not known
	Reason    string  `json:"reason"`
}

// String returns the gap as a text for the person who searches.
func (g Gap) String() string { return fmt.Sprintf("part %d of the index %s", g.Partition, g.Reason) }

// Source returns views. Between two views shards may be replaced, all at once.
type Source interface {
	View(ctx context.Context) (View, error)
}
