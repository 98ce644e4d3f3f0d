package search

import (
	"context"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// Shard is one shard's unchanging view, taken for one query.
type Shard interface {
	Analysers() []text.Analyser
	Stats(ctx context.Context, words []rank.Word) (rank.Stats, error)
	Top(ctx context.Context, plan *rank.Plan) (rank.Top, error)
	Page(ctx context.Context, ref rank.Ref) (rank.Page, error)
	Release() error
}

// View is all shards of one generation at one moment.
type View struct {
	Shards  []Shard
	Missing []string // a sentence for each shard that cannot be asked
}

// Source hands out views. Between two views shards may be replaced, all at once.
type Source interface {
	View(ctx context.Context) (View, error)
}
