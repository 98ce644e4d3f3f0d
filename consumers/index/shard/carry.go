package shard

import (
	"cmp"
	"context"
	"net/url"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

// carryBatch is how many documents are looked up and written at a time.
const carryBatch = 500

// Carry indexes the documents of from that this shard does not have. Both must be at the same
// offset of the same log; the log no longer has the records of these documents. It returns how many
// there were, and the step after each. After an error it can be repeated.
func (s *Shard) Carry(ctx context.Context, from *Shard) (n int, steps []Step, err error) {
	snap, err := from.Snapshot()
	if err != nil {
		return 0, nil, err
	}
	defer snap.Release()
	at := s.Offset()
	for _, segment := range snap.segments {
		var page []Change
		flush := func() error {
			lacking, err := s.lacking(page)
			if err != nil || len(lacking) == 0 {
				page = page[:0]
				return err
			}
			done, err := s.Apply(ctx, Batch{Changes: lacking, Next: at})
			steps, n, page = append(steps, done...), n+len(lacking), page[:0]
			return err
		}
		for it := segment.snap.DocNumbersLive().Iterator(); it.HasNext(); {
			c, err := restore(segment.snap, uint64(it.Next()), at)
			if err != nil {
				return n, steps, err
			}
			if page = append(page, c); len(page) < carryBatch {
				continue
			}
			if err := flush(); err != nil {
				return n, steps, err
			}
		}
		if err := flush(); err != nil {
			return n, steps, err
		}
	}
	return n, steps, nil
}

// lacking returns the changes whose keys are not in the shard.
func (s *Shard) lacking(all []Change) ([]Change, error) {
	have, err := s.marks(all)
	if err != nil {
		return nil, err
	}
	var out []Change
	for _, c := range all {
		if _, ok := have[c.Key]; !ok {
			out = append(out, c)
		}
	}
	return out, nil
}

// restore turns a stored document back into the Change from which it was indexed.
func restore(segment *scorch.SegmentSnapshot, doc uint64, at int64) (Change, error) {
	p, stored, err := readStored(segment, doc)
	if err != nil {
		return Change{}, err
	}
	_, m, err := readMark(segment, doc)
	if err != nil {
		return Change{}, err
	}
	if stored.Host == "" { // written before it was stored
		if u, err := url.Parse(stored.URL); err == nil {
			stored.Host = u.Hostname()
		}
	}
	key := p.Key
	p.Key, p.Date = "", cmp.Or(stored.Date, p.PublishedAt, p.FetchedAt)
	return Change{Offset: at - 1, Key: key, Document: &Document{
		Host: stored.Host, Hash: m.hash, Headings: stored.Headings, LinkShare: stored.LinkShare, Near: stored.Near,
		Anchors: stored.Anchors, Shown: p,
	}}, nil
}
