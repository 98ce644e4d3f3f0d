package streams

import (
	"context"
	"time"

	"millrace/topics"
)

// Plain implements every method of Task but Handle, for a Task without state: embed it and write
// the methods that you need.
type Plain[M topics.Message] struct{}

// Recover returns Committed: the partition begins at its commit.
func (Plain[M]) Recover(context.Context) (int64, error) { return Committed, nil }

// Undo does nothing.
func (Plain[M]) Undo() {}

// Settle does nothing.
func (Plain[M]) Settle(context.Context) error { return nil }

// Tick does nothing.
func (Plain[M]) Tick(context.Context, time.Time) error { return nil }

// Revoke does nothing.
func (Plain[M]) Revoke(context.Context, bool) {}
