// Package rest waits until a crawl has nothing left to do, for programs that measure one.
//
// A crawl rests when the frontier has nothing queued, in flight or ready, and the groups have
// handled all that was written. It must be seen at rest three times, 200 ms apart, because a record
// can be between two groups. Re-crawls that are due later do not count.
package rest

import (
	"context"
	"slices"
	"time"

	"millrace/cmd/wire"
	"millrace/streams"
)

// Wait returns when the crawl rests, or with the error of ctx. groups are those that take part.
func Wait(ctx context.Context, sys *wire.System, groups []string) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for calm := 0; calm < 3; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		f := sys.Status()
		idle := f.Pages > 0 && f.Queued == 0 && f.InFlight == 0 && f.Ready == 0 && f.Waiting == 0
		if calm++; !idle || !done(sys.Reader.Positions(ctx), groups) {
			calm = 0
		}
	}
	return nil
}

// done reports whether the groups have handled all records. What could not be read is not done.
func done(lag streams.Lag, groups []string) bool {
	behind := func(g streams.GroupLag) bool { return g.Records > 0 && slices.Contains(groups, g.Group) }
	return len(lag.Errors) == 0 && !slices.ContainsFunc(lag.Groups, behind)
}
