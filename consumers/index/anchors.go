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

// The texts of links to a page are a field of it. anchor reads them when the page is indexed. A
// record of the topic links says that they changed: the owner of a partition follows that topic
// beside docs.unique, and indexes the pages again whose texts differ (follow). The position in that
// topic is written in the same batch as the pages. Both read the same rows, which change only
// together with a record of that topic once the page is known to be fetched. So after the last
// record every page has the texts that its row has, also in an index that was filled anew.

// anchor sets the texts of links in the documents of a batch.
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

// followed is the state of a task in the topic links.
type followed struct {
	looked time.Time
	more   bool      // the last look did not reach the end
	waits  time.Time // since when a record is newer than its row; zero = none is
}

// Bounds of one look at the topic links.
const (
	linksAtOnce = 500
	rowWithin   = time.Minute // a row that is older than its record for this long is not waited for any more
)

var errEnough = errors.New("enough records")

// linked is a record of the topic links.
type linked struct {
	key    string
	stamp  int64
	offset int64
}

// follow reads the topic links, and indexes the pages again whose texts of links changed.
func (t *task) follow(ctx context.Context, now time.Time) error {
	f := &t.followed
	if _, failed := t.shards.failed(t.p.ID()); failed { // Settle opens it again
		return nil
	}
	if t.shards.deps.Anchors == nil || !f.more && now.Sub(f.looked) < t.opts.LookEvery {
		return nil
	}
	f.looked, f.more = now, false
	at, end, err := t.linksAt(ctx, now)
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
	case next == 0: // the row of the first record is waited for
		f.more = false
		return nil
	default:
		at.Next, f.more = records[next-1].offset+1, f.more && next == len(records)
	}
	return t.shards.relink(ctx, t.p.ID(), anchors, at)
}

// linksAt returns the position in the topic links and its end. In a topic that was created anew or
// cut, reading begins at its start.
func (t *task) linksAt(ctx context.Context, now time.Time) (at shard.LinksAt, end int64, err error) {
	h := t.shards.held(t.p.ID())
	if h == nil {
		return at, 0, fmt.Errorf("%w: %d", ErrNotAssigned, t.p.ID())
	}
	log, name := t.p.Log(), topics.Links().Name
	b, err := t.shards.links.get(now, t.opts.together(), func() (b topicBounds, err error) {
		if b.id, err = log.TopicID(ctx, name); err == nil {
			b.ends, err = log.Ends(ctx, name)
		}
		return b, err
	})
	if err != nil {
		return at, 0, err
	}
	if at = h.Position().Links; at.Topic != b.id {
		at = shard.LinksAt{Topic: b.id}
	}
	if end = b.ends[t.p.ID()]; at.Next == end {
		return at, end, nil
	}
	start, err := log.Start(ctx, name, t.p.ID())
	if at.Next > end { // it was cut
		at.Next = start
	}
	at.Next = max(at.Next, start)
	return at, end, err
}

// linkRecords reads the next records, at most linksAtOnce.
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

// readAnchors reads the rows of records, up to the first one that is older than its record: the
// group links writes it soon.
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

// waits reports whether to wait for a row that is older than its record; at most rowWithin.
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

// relink writes changed texts of links to the shard of a partition.
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
