package streamstest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"millrace/streams"
)

// Moving returns a context that ends when what state returns stays the same for as long as
// patience, and then its cause says so, or with stop. A test that waits for something far away
// bounds its wait by this: what is slow goes on for as long as it moves, and what stands still ends
// it. State is called every second.
func Moving(t testing.TB, patience time.Duration, state func(context.Context) string) (moving context.Context, stop func()) {
	t.Helper()
	ctx, end := context.WithCancelCause(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		last, since := "", time.Now()
		for ctx.Err() == nil {
			if now := state(ctx); now != last {
				last, since = now, time.Now()
			} else if time.Since(since) > patience {
				end(fmt.Errorf("nothing moved for %s", patience))
				return
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
	return ctx, func() {
		end(nil)
		<-ended
	}
}

// Places returns where all groups are, for Moving: what they have committed, and the ends of their
// topics.
func Places(l interface {
	Positions(context.Context) streams.Lag
}) func(context.Context) string {
	return func(ctx context.Context) string { return fmt.Sprint(l.Positions(ctx).Groups) }
}
