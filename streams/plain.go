package streams

import (
	"context"
	"time"

	"millrace/topics"
)

// Plain is a Task that keeps nothing: embed it and write the methods you need.
type Plain[M topics.Message] struct{}

// Recover begins where the commits say.
func (Plain[M]) Recover(context.Context) (int64, error) { return Committed, nil }

// Undo has nothing to take back.
func (Plain[M]) Undo() {}

// Settle has nothing to write.
func (Plain[M]) Settle(context.Context) error { return nil }

// Tick has nothing due.
func (Plain[M]) Tick(context.Context, time.Time) error { return nil }

// Revoke has nothing in flight.
func (Plain[M]) Revoke(context.Context, bool) {}
