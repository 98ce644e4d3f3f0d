package shard

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// prepare analyses the documents of a batch in parallel; the result is nil for a deletion. Only one
// batch is analysed at a time, so each worker has its normalisers to itself.
func (s *Shard) prepare(ctx context.Context, changes []Change) ([]*prepared, error) {
	documents := make([]*prepared, len(changes))
	errs := make([]error, len(changes))
	var next atomic.Int64
	var workers sync.WaitGroup
	for w := range min(s.opts.Workers, len(changes)) {
		workers.Go(func() {
			words := s.words[w]
			for i := next.Add(1) - 1; i < int64(len(changes)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if c := changes[i]; c.Document != nil {
					documents[i], errs[i] = s.prepareOne(words, c)
				}
			}
		})
	}
	workers.Wait()
	return documents, errors.Join(append(errs, ctx.Err())...)
}

// prepareOne analyses one document. If that panics, the document is indexed without the words that
// a page chooses (title, text, headings, author, anchors): it counts in the digest and is found by
// key, host, language and date.
func (s *Shard) prepareOne(words analysers, c Change) (p *prepared, err error) {
	err = contain(func() error {
		p, err = words.prepare(c.Key, c.Document, s.opts)
		return err
	})
	if err == nil {
		return p, nil
	}
	clear(words) // they may be half written
	bare := *c.Document
	bare.Shown.Title, bare.Shown.Text, bare.Shown.Author, bare.Headings, bare.Anchors = "", "", "", nil, nil
	if s.opts.OnBare != nil {
		s.opts.OnBare(c.Key, err)
	}
	return words.prepare(c.Key, &bare, s.opts)
}
