package index

import (
	"context"
	"slices"
	"time"

	"millrace/consumers/index/shard"
)

// pending collects changes until they make a batch.
type pending struct {
	changes []shard.Change
	bytes   []int // of each change's record
	next    int64
	time    time.Time
}

func (p *pending) add(c shard.Change, r *Record) {
	p.changes = append(p.changes, c)
	p.bytes = append(p.bytes, len(r.Bytes)+len(r.Key))
	p.pass(r)
}

// hasNews reports whether a document came by a feed, a news sitemap or a push.
func (p *pending) hasNews() bool {
	return slices.ContainsFunc(p.changes, func(c shard.Change) bool { return c.Document != nil && c.Document.ListedAt > 0 })
}

// pass notes the position of a record; alone, of one that changes nothing.
func (p *pending) pass(r *Record) { p.next, p.time = r.Offset+1, r.Time }

// apply writes the changes in batches within the limits of o, and removes those that are written.
func (p *pending) apply(ctx context.Context, o *Options, era int64, write func(context.Context, shard.Batch) error) error {
	for len(p.changes) > 0 {
		n, bytes := 0, 0
		for n < len(p.changes) && n < o.BatchDocs && (n == 0 || bytes+p.bytes[n] <= o.BatchBytes) {
			bytes += p.bytes[n]
			n++
		}
		b := shard.Batch{Changes: p.changes[:n], Next: p.changes[n-1].Offset + 1, Era: era, Time: p.time}
		if n == len(p.changes) {
			b.Next = p.next
		}
		if err := write(ctx, b); err != nil {
			return err
		}
		o.arrived(p.changes[:n])
		p.changes, p.bytes = p.changes[n:], p.bytes[n:]
	}
	p.changes, p.bytes = nil, nil
	return nil
}

// newsPause is the longest pause before a batch with an item of a feed: people wait for it.
const newsPause = 200 * time.Millisecond

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
