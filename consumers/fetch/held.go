package fetch

import (
	"hash/maphash"
	"sync"

	"millrace/schema"
)

// remembered is how many finished attempts of a partition are known, to drop repeats: more than
// schedule keeps in flight in a partition by default.
const remembered = 16_384

// held knows the attempts of a partition that are in hand or were lately, by a hash of 64 bits: of
// 10^5 attempts one is taken for another once in 10^9 times, and schedule emits it again.
type held struct {
	seed maphash.Seed

	mu   sync.Mutex
	ids  map[uint64]struct{}
	done []uint64 // ring of the finished ones
	next int
}

func newHeld() *held { return &held{seed: maphash.MakeSeed(), ids: make(map[uint64]struct{})} }

// id names an attempt.
func (h *held) id(s *schema.Scheduled) uint64 {
	return maphash.Comparable(h.seed, struct {
		rowKey string
		rev    int64
	}{s.RowKey, s.Rev})
}

// add takes an attempt in hand; false: it is or was lately.
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

// remove forgets an attempt that was not taken after all.
func (h *held) remove(s *schema.Scheduled) {
	id := h.id(s)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.ids, id)
}

// finish keeps an attempt for a while longer, in place of the one finished longest ago.
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
