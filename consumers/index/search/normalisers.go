package search

import (
	"sync"

	"millrace/consumers/index/text"
)

// normalisers lends normalisers, which remember the stems of common words. With one that has read
// other text before, the snippets of a page of results take half of the time. It is safe for
// concurrent use.
type normalisers struct {
	free map[text.Analyser]*sync.Pool // of *text.Normaliser
}

func newNormalisers() *normalisers {
	n := &normalisers{free: map[text.Analyser]*sync.Pool{}}
	for _, a := range text.Analysers() {
		n.free[a] = &sync.Pool{New: func() any { return text.NewNormaliser(a) }}
	}
	return n
}

// take lends a normaliser until it is given back.
func (n *normalisers) take(a text.Analyser) *text.Normaliser {
	if pool := n.free[a]; pool != nil {
		return pool.Get().(*text.Normaliser)
	}
	return text.NewNormaliser(a)
}

func (n *normalisers) give(a text.Analyser, normal *text.Normaliser) {
	if pool := n.free[a]; pool != nil {
		pool.Put(normal)
	}
}
