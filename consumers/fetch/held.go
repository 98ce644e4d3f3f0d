package fetch

import (
	"hash/maphash"
	"sync"

	"millrace/schema"
)

// remembered is how many finished attempts of a partition are known, to drop repeated records: more
// than schedule keeps in flight in a partition by default (16,000).
const remembered = 16_384

// held knows the attempts of a partition that are in progress or were lately, by a hash of 64 bits.
// Among 10^5 attempts two get the same hash with a probability of 10^-9 or so; then one is dropped,
// and schedule sends it again.
type held struct {
	seed maphash.Seed

	mu   sync.Mutex
	ids  map[uint64]struct{}
	done []uint64 // ring of the finished ones
	next int
}

func newHeld() *held { return &held{seed: maphash.MakeSeed(), ids: make(map[uint64]struct{})} }

// id is the hash of an attempt.
func (h *held) id(s *schema.Scheduled) uint64 {
	return maphash.Comparable(h.seed, struct {
		rowKey string
		rev    int64
	}{s.RowKey, s.Rev})
}

// add adds an attempt. It returns false if the attempt is in progress or was lately.
func (h *held) add(s *schema.Scheduled) bool {
	id := h.id(s)
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.ids[id]; ok {
		return false
	}
	h.ids[id] = struct{}{}
	return true
}

// remove removes an attempt that did not begin.
func (h *held) remove(s *schema.Scheduled) {
	id := h.id(s)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.ids, id)
}

// finish marks an attempt as finished. It stays known until remembered others have finished.
func (h *held) finish(s *schema.Scheduled) {
	id := h.id(s)
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.done) < remembered {
		h.done = append(h.done, id)
		return
	}
	delete(h.ids, h.done[h.next])
	h.done[h.next] = id
	h.next = (h.next + 1) % remembered
}
