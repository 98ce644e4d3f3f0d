package fetch

import (
	"sync"

	"millrace/schema"
)

// remembered is how many finished attempts of a partition are known, to drop repeats: more than schedule keeps in flight in a partition by default.
const remembered = 16_384

// attemptID names an attempt: the same in every record about it.
type attemptID struct {
	rowKey string
	rev    int64
}

// held knows the attempts of a partition that are in hand or were lately.
type held struct {
	mu   sync.Mutex
	ids  map[attemptID]struct{}
	done []attemptID // ring of the finished ones
	next int
}

func newHeld() *held { return &held{ids: make(map[attemptID]struct{})} }

// add takes an attempt in hand; false: it is or was lately.
func (h *held) add(s *schema.Scheduled) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := attemptID{s.RowKey, s.Rev}
	if _, ok := h.ids[id]; ok {
		return false
	}
	h.ids[id] = struct{}{}
	return true
}

// remove forgets an attempt that was not taken after all.
func (h *held) remove(s *schema.Scheduled) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.ids, attemptID{s.RowKey, s.Rev})
}

// finish keeps an attempt for a while longer, in place of the one finished longest ago.
func (h *held) finish(s *schema.Scheduled) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := attemptID{s.RowKey, s.Rev}
	if len(h.done) < remembered {
		h.done = append(h.done, id)
		return
	}
	delete(h.ids, h.done[h.next])
	h.done[h.next] = id
	h.next = (h.next + 1) % remembered
}
