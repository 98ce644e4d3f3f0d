package index

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"millrace/consumers/index/shard"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// The texts of links to a page are a field of it. They are looked up when the page is indexed
// (anchor). A record of the topic links says that they are others now: the owner of a partition
// follows that topic beside docs.unique, and indexes pages again whose texts differ (follow). How
// far it is stands in the same batch as the pages. Both look at the same rows, which change only at
// a record of that topic once the page is known to be fetched; so after the last record is
// followed, every page has the texts that its row says, also in an index that was filled anew.

// anchor gives the documents of a batch the texts of the links that lead to them.
func (s *Shards) anchor(ctx context.Context, changes []shard.Change) error {
	if s.deps.Anchors == nil {
		return nil
	}
	var keys []string
	for _, c := range changes {
		if c.Document != nil {
			keys = append(keys, c.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	all, err := s.deps.Anchors(ctx, keys)
	if err != nil {
		return fmt.Errorf("texts of links: %w", err)
	}
	for _, c := range changes {
		if c.Document != nil {
			c.Document.Anchors = all[c.Key].Anchors
		}
	}
	return nil
}

// followed is how far a task is with the topic links.
type followed struct {
	looked time.Time
	more   bool      // the last look did not reach the end
	waits  time.Time // since when a record is ahead of its row; zero = none is
}

// Bounds of one look at the topic links.
const (
	linksAtOnce = 500
	rowWithin   = time.Minute // a row that is not as new as its record after this time never will be
)

var errEnough = errors.New("enough records")

// linked is a record of the topic links.
type linked struct {
	key    string
	stamp  int64
	offset int64
}

// follow indexes pages again whose texts of links are others now.
func (t *task) follow(ctx context.Context, now time.Time) error {
	f := &t.followed
	if t.shards.deps.Anchors == nil || !f.more && now.Sub(f.looked) < t.opts.LookEvery {
		return nil
	}
	f.looked, f.more = now, false
	at, end, err := t.linksAt(ctx)
	if err != nil || at.Next >= end {
		return err
	}
	records, err := t.linkRecords(ctx, at.Next, end)
	if err != nil {
		return err
	}
	f.more = len(records) == linksAtOnce
	anchors, next, err := t.readAnchors(ctx, records, now)
	if err != nil {
		return err
	}
	switch {
	case len(records) == 0 || next == len(records) && !f.more:
		at.Next = end
	case next == 0: // the first one's row is waited for
		f.more = false
		return nil
	default:
		at.Next, f.more = records[next-1].offset+1, f.more && next == len(records)
	}
	return t.shards.relink(ctx, t.p.ID(), anchors, at)
}

// linksAt returns where to read on, and the end.
func (t *task) linksAt(ctx context.Context) (at shard.LinksAt, end int64, err error) {
	h := t.shards.held(t.p.ID())
	if h == nil {
		return at, 0, fmt.Errorf("%w: %d", ErrNotAssigned, t.p.ID())
	}
	log, name := t.p.Log(), topics.Links().Name
	id, err := log.TopicID(ctx, name)
	if err != nil {
		return at, 0, err
	}
	if at = h.Position().Links; at.Topic != id {
		at = shard.LinksAt{Topic: id}
	}
	if end, err = log.End(ctx, name, t.p.ID()); err != nil || at.Next == end {
		return at, end, err
	}
	start, err := log.Start(ctx, name, t.p.ID())
	if at.Next > end { // it was cut
		at.Next = start
	}
	at.Next = max(at.Next, start)
	return at, end, err
}

// linkRecords reads the next records, so many at most.
func (t *task) linkRecords(ctx context.Context, from, end int64) ([]linked, error) {
	var out []linked
	err := t.p.Log().Scan(ctx, topics.Links().Name, t.p.ID(), from, end, func(r streams.Raw) error {
		l := linked{key: r.Key, offset: r.Offset}
		in := &schema.InLinks{}
		if r.Value != nil && in.UnmarshalVT(r.Value) == nil {
			l.stamp = in.Stamp
		}
		for _, h := range r.Headers {
			if n, err := strconv.ParseInt(string(h.Value), 10, 64); err == nil && h.Key == "stamp" {
				l.stamp = n
			}
		}
		if out = append(out, l); len(out) == linksAtOnce {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return out, err
}

// readAnchors reads the rows that records are of, up to the first one whose row is not as new as
// the record: its writer writes it soon.
func (t *task) readAnchors(ctx context.Context, records []linked, now time.Time) (map[string][]shard.Anchor, int, error) {
	keys := make([]string, len(records))
	for i, r := range records {
		keys[i] = r.key
	}
	rows, err := t.shards.deps.Anchors(ctx, keys)
	if err != nil {
		return nil, 0, err
	}
	anchors := map[string][]shard.Anchor{}
	for i, r := range records {
		if rows[r.key].Stamp < r.stamp && t.waits(now) {
			return anchors, i, nil
		}
		anchors[r.key] = rows[r.key].Anchors
	}
	t.followed.waits = time.Time{}
	return anchors, len(records), nil
}

// waits reports whether a record that is ahead of its row is waited for.
func (t *task) waits(now time.Time) bool {
	f := &t.followed
	if f.waits.IsZero() {
		f.waits = now
	}
	if now.Sub(f.waits) < rowWithin {
		return true
	}
	t.log.Warn("links of a page are told, and their row is not written", "partition", t.p.ID())
	return false
}

// relink writes the texts of links to pages of a partition.
func (s *Shards) relink(ctx context.Context, partition int32, anchors map[string][]shard.Anchor, at shard.LinksAt) error {
	s.swap.RLock()
	defer s.swap.RUnlock()
	h, err := s.writable(partition)
	if err != nil || h.Err() != nil {
		return err
	}
	n, err := h.Relink(ctx, anchors, at)
	if err != nil || n == 0 {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.move()
	return nil
}
