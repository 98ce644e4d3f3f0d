package streams

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// places holds the partitions that a member is assigned. The client's callbacks add and remove
// them; the loop lists them once a round. Safe for concurrent use.
type places[M topics.Message] struct {
	slots chan struct{} // one for each recovery under way

	mu      sync.Mutex
	works   map[int32]*work[M]
	seen    map[*work[M]]bool  // the client has listed them as assigned
	fetched map[int32]Progress // progress as fetched, until its partition is assigned
	paused  map[int32]bool
}

func newPlaces[M topics.Message]() places[M] {
	return places[M]{
		slots: make(chan struct{}, recoverAtOnce),
		works: map[int32]*work[M]{}, seen: map[*work[M]]bool{},
		fetched: map[int32]Progress{}, paused: map[int32]bool{},
	}
}

// fetch keeps a partition's committed progress until the partition is assigned.
func (p *places[M]) fetch(id int32, at Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fetched[id] = at
}

// add adds a work, with the progress that fetch kept, and returns the earlier work of its
// partition, or nil.
func (p *places[M]) add(w *work[M]) (before *work[M]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before = p.works[w.id]
	delete(p.seen, before)
	if f, ok := p.fetched[w.id]; ok {
		w.committed = f
		delete(p.fetched, w.id)
	}
	p.works[w.id] = w
	return before
}

// take removes the works of partitions and returns them.
func (p *places[M]) take(ids []int32) []*work[M] {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.of(ids)
	for _, w := range out {
		delete(p.works, w.id)
		delete(p.seen, w)
	}
	return out
}

// all removes every work and returns them.
func (p *places[M]) all() []*work[M] {
	p.mu.Lock()
	ids := slices.Collect(maps.Keys(p.works))
	p.mu.Unlock()
	return p.take(ids)
}

// list returns the works whose partitions the client has (assigned), and removes and returns those
// that are gone: the client listed their partition before and does not now, or did not list it
// within late.
func (p *places[M]) list(assigned map[int32]bool, late time.Duration) (here, gone []*work[M]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, w := range p.works {
		switch {
		case assigned[id]:
			p.seen[w] = true
			here = append(here, w)
		case p.seen[w], time.Since(w.born) > late:
			delete(p.works, id)
			delete(p.seen, w)
			gone = append(gone, w)
		}
	}
	return here, gone
}

// release resumes the fetching of a partition that has no work any more, so that a later assignment
// does not find it paused.
func (p *places[M]) release(cl *kgo.Client, topic string, id int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.works[id] == nil && p.paused[id] {
		delete(p.paused, id)
		cl.ResumeFetchPartitions(map[string][]int32{topic: {id}})
	}
}

// pause stops or resumes the fetching of a partition.
func (p *places[M]) pause(cl *kgo.Client, topic string, id int32, on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused[id] == on {
		return
	}
	p.paused[id] = on
	if on {
		cl.PauseFetchPartitions(map[string][]int32{topic: {id}})
	} else {
		cl.ResumeFetchPartitions(map[string][]int32{topic: {id}})
	}
}

// peek returns the works of partitions and does not remove them.
func (p *places[M]) peek(ids []int32) []*work[M] {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.of(ids)
}

// of returns the works of partitions; by mu.
func (p *places[M]) of(ids []int32) (out []*work[M]) {
	for _, id := range ids {
		if w := p.works[id]; w != nil {
			out = append(out, w)
		}
	}
	return out
}
