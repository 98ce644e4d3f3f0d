package hosts

import (
	"millrace/consumers/schedule/patterns"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/politeness"
	"millrace/schema"
)

// Host is a host with work, or one whose row was used lately. A host that only waits has no Row:
// its row and queues are read when its turn comes.
type Host struct {
	Name schema.Host
	Lane *politeness.Lane // nil until its row was read for the first time
	Row  *schema.HostRow  // nil: not loaded
	Tree *patterns.Tree   // what its URLs brought; nil: not loaded. Evicted together with Row

	queues  *[policy.Classes]queue // nil without Row
	flights int
	unread  uint8 // bit c: class c has entries that were not taken
	turns   politeness.Turns
	learnt  bool  // Tree has changes that are not staged
	dirty   bool  // Row has changes that are not staged, apart from heads
	stamped int64 // stamp of the last record that this process applied to Row
	held    bool  // an operator paused it: Has returns 0
}

// queue is the reading side of one class of the table todo. An entry is unread, or taken and bound
// to a flight, or done.
type queue struct {
	next    int64              // first sequence number not read from the store
	ahead   []Entry            // read, not taken
	extra   []Entry            // due, from the calendar: without a sequence number
	done    map[int64]struct{} // done entries after one that is not done
	dropped int64              // number of the first chunk that is not dropped
}

// Entry is a URL in a queue.
type Entry struct {
	Path  string
	Class uint8
	Seq   int64 // NoSeq: it is in no queue, only in the calendar
}

// NoSeq is the sequence number of an entry that is in no queue.
const NoSeq = -1

// Budgets of a host for URLs that other sites name first: one for each of 16 buckets of sites, and
// one for all of them together.
const (
	StrangerBuckets = 16
	Budgets         = StrangerBuckets + 1
)

// Has implements politeness.Work: a paused host has nothing to do.
func (h *Host) Has() uint8 {
	if h.held {
		return 0
	}
	return h.unread
}

// Urgent implements politeness.Work.
func (h *Host) Urgent() bool { return h.turns.Next(h.Has()) == 0 }

// Hold pauses or resumes the host. The caller must place its lane again.
func (h *Host) Hold(on bool) { h.held = on }

// Flights implements politeness.Work.
func (h *Host) Flights() int { return h.flights }

// Fly adds n to the number of URLs in flight.
func (h *Host) Fly(n int) { h.flights += n }

// Fresh reports whether nothing is stored or staged for the host.
func (h *Host) Fresh() bool { return h.Row.At == 0 }

// URLs is the number of known URLs of the host.
func (h *Host) URLs() int64 { return URLs(h.Row) }

// URLs is the number of known URLs that a host's row counts.
func URLs(row *schema.HostRow) int64 {
	n := int64(0)
	for _, t := range row.TierUrls {
		n += t
	}
	return n
}

// Queued is the number of entries between the heads and tails of a row's queues.
func Queued(row *schema.HostRow) int64 {
	n := int64(0)
	for _, q := range row.Queues {
		n += q.Tail - q.Head
	}
	return n
}

// Sent notes that a URL of a class was sent. That decides the next turn.
func (h *Host) Sent(class uint8) { h.turns.Took(int(class), h.unread|1<<class) }

// Finish marks an entry done and moves the head over all done entries.
func (h *Host) Finish(e Entry) {
	if e.Seq == NoSeq {
		return
	}
	q, row := &h.queues[e.Class], h.Row.Queues[e.Class]
	if e.Seq != row.Head {
		if q.done == nil {
			q.done = map[int64]struct{}{}
		}
		q.done[e.Seq] = struct{}{}
		return
	}
	for row.Head++; len(q.done) > 0; row.Head++ {
		if _, ok := q.done[row.Head]; !ok {
			return
		}
		delete(q.done, row.Head)
	}
}

func (h *Host) markUnread(c int) {
	q := &h.queues[c]
	h.unread &^= 1 << c
	if len(q.extra)+len(q.ahead) > 0 || q.next < h.Row.Queues[c].Tail {
		h.unread |= 1 << c
	}
}

// idle reports whether the row and queues may be evicted: all of it can be read again from the
// store.
func (h *Host) idle() bool {
	if h.dirty || h.learnt || h.flights > 0 {
		return false
	}
	for c := range h.queues {
		q := &h.queues[c]
		if len(q.extra) > 0 || len(q.done) > 0 || h.Row.Queues[c].Head != q.next-int64(len(q.ahead)) {
			return false
		}
	}
	return true
}
