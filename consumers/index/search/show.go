package search

import (
	"cmp"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// maxCopies bounds the copies that are shown with a hit.
const maxCopies = 5

// reading is a page that is read to be shown, with its copies.
type reading struct {
	of     folded
	page   rank.Page
	err    error
	copies []rank.Page
	errs   []error // of the copies
	hit    Hit
}

// hits reads the pages that are shown, and makes their snippets. Pages are read side by side: from
// another process each costs a request.
func (r *run) hits(shown []folded, c *compiled, weights []float64) []Hit {
	pages := make([]reading, len(shown))
	sideBySide(len(shown), func(next func() (int, bool)) {
		made := snippets{run: r, c: c, weights: weights, needles: map[text.Analyser]*needles{}}
		defer made.close()
		for i, ok := next(); ok; i, ok = next() {
			pages[i].of = shown[i]
			r.read(&pages[i])
			if pages[i].err == nil {
				pages[i].hit = made.hit(&pages[i])
			}
		}
	})
	out := make([]Hit, 0, len(shown))
	for i := range pages {
		if p := &pages[i]; r.stands(p) {
			out = append(out, p.hit)
		}
	}
	return out
}

// sideBySide calls work in as many goroutines as there are processors; each takes the next number
// below n.
func sideBySide(n int, work func(next func() (int, bool))) {
	var taken atomic.Int64
	next := func() (int, bool) {
		i := int(taken.Add(1)) - 1
		return i, i < n
	}
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		workers.Go(func() { work(next) })
	}
	work(next)
	workers.Wait()
}

// read reads a page and its copies.
func (r *run) read(p *reading) {
	if p.page, p.err = r.fetch(p.of.located); p.err != nil {
		return
	}
	for _, c := range p.of.copies[:min(len(p.of.copies), maxCopies)] {
		page, err := r.fetch(c)
		p.copies, p.errs = append(p.copies, page), append(p.errs, err)
	}
}

// stands reports whether a page was read, and adds its copies. A shard that failed is dropped: its
// further pages are not shown.
func (r *run) stands(p *reading) bool {
	if !r.came(p.of.located, p.err) {
		return false
	}
	for i, c := range p.copies {
		if r.came(p.of.copies[i], p.errs[i]) {
			p.hit.Also = append(p.hit.Also, Copy{c.URL, c.Site})
		}
	}
	return true
}

// snippets makes hits of pages. It belongs to one goroutine.
type snippets struct {
	run     *run
	c       *compiled
	weights []float64
	needles map[text.Analyser]*needles
}

func (s *snippets) close() {
	for _, n := range s.needles {
		s.run.normal.give(n.analyser, n.normal)
	}
}

func (s *snippets) hit(r *reading) Hit {
	p := &r.page
	a := text.ForLanguage(p.Lang)
	n := s.needles[a]
	if n == nil {
		n = newNeedles(a, s.run.normal.take(a), s.c, s.weights)
		s.needles[a] = n
	}
	pieces, at := s.snippet(p, n)
	return Hit{
		URL: p.URL, Title: p.Title, Snippet: pieces, FilePage: filePage(p.PageStarts, at),
		Score: r.of.Score, Site: p.Site, Lang: p.Lang, Author: p.Author, Type: cmp.Or(p.Type, "html"),
		PublishedAt: p.PublishedAt, FetchedAt: p.FetchedAt, Date: p.Date, Key: p.Key, NoArchive: p.NoArchive, More: r.of.more, Parts: r.of.Parts,
	}
}

// snippet makes the snippet of a page. A page whose text makes that panic is shown without one.
func (s *snippets) snippet(p *rank.Page, n *needles) (pieces []Piece, at int) {
	defer func() {
		if recover() != nil {
			delete(s.needles, n.analyser) // it may be half written
			pieces, at = []Piece{}, -1
		}
	}()
	return snippet(p, n, s.run.opts.SnippetBytes, s.run.opts.ScanBytes)
}

// errDropped: another page of the shard could not be read.
var errDropped = errors.New("the shard was dropped")

// fetch reads a page.
func (r *run) fetch(l located) (rank.Page, error) {
	if s := r.shards[l.shard]; s != nil {
		return s.Page(r.ctx, l.Ref)
	}
	return rank.Page{}, errDropped
}

// came reports whether a page was read of a shard that has not failed; a shard that fails is
// dropped.
func (r *run) came(l located, err error) bool {
	if r.shards[l.shard] == nil {
		return false
	}
	if err != nil {
		r.drop(l.shard, err)
	}
	return err == nil
}

// page reads a page; a shard that fails is dropped.
func (r *run) page(l located) (rank.Page, bool) {
	p, err := r.fetch(l)
	return p, r.came(l, err)
}
