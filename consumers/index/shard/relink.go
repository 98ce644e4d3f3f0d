package shard

import (
	"context"
	"slices"
)

// Relink indexes the pages again whose anchors differ from these, by key, and notes the position in
// the topic links. Keys that are not in the shard are ignored: those pages get their anchors when
// they are indexed. It returns how many pages were indexed again. Documents and digest do not
// change.
func (s *Shard) Relink(ctx context.Context, anchors map[string][]Anchor, at LinksAt) (int, error) {
	changes, err := s.relinked(anchors)
	if err != nil {
		return 0, err
	}
	_, err = s.Apply(ctx, Batch{Changes: changes, Next: s.Offset(), Links: &at})
	return len(changes), err
}

func (s *Shard) relinked(anchors map[string][]Anchor) ([]Change, error) {
	keys := make([]string, 0, len(anchors))
	for key := range anchors {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	snap, err := s.reader()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	offset := s.Offset()
	var changes []Change
	for _, segment := range snap.Segments() {
		docs, err := segment.DocNumbers(keys)
		if err != nil {
			return nil, err
		}
		for it := docs.Iterator(); it.HasNext(); {
			c, err := restore(segment, uint64(it.Next()), offset)
			if err != nil {
				return nil, err
			}
			if now := anchors[c.Key]; !slices.Equal(now, c.Document.Anchors) {
				c.Document.Anchors = now
				changes = append(changes, c)
			}
		}
	}
	return changes, nil
}
