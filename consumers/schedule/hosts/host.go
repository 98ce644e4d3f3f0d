package hosts

import (
	"millrace/consumers/schedule/patterns"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/politeness"
	"millrace/schema"
)

// Host is one host with work, or whose row was used lately. A host that only waits
// keeps little: its row and queues are read when its turn comes.
type Host struct {
	Name schema.Host
	Lane *politeness.Lane // nil until its row was read once
	Row  *schema.HostRow  // nil: not loaded
	Tree *patterns.Tree   // what its URLs brought; nil: not loaded. Goes with Row

	queues  *[policy.Classes]queue // with Row
	flights int
	unread  uint8 // bit c: class c has something that was not looked at
	turns   politeness.Turns
	learnt  bool  // Tree differs from the store's
	dirty   bool  // Row differs from the store's, apart from heads
	stamped int64 // timestamp of the last record that changed Row here
	held    bool  // an operator paused it: what it has to do does not count
}

// queue is the reading side of one class of todo: an entry is unread, or looked at
// and bound to a flight, or done.
type queue struct {
	next    int64              // first sequence not read from the store
	ahead   []Entry            // read, not looked at
	extra   []Entry            // due, from the wheel: they stand in no sequence
	done    map[int64]struct{} // done sequences behind one that is not
	dropped int64              // first chunk that was not dropped
}

// Entry is a URL in a queue.
type Entry struct {
	Path  string
	Class uint8
	Seq   int64 // NoSeq: only in the wheel
}

// NoSeq is the sequence of an entry that stands in no queue.
const NoSeq = -1

// Budgets of a host for URLs that other sites name first: one for each bucket of
// sites, and one for all of them.
const (
	StrangerBuckets = 16
	Budgets         = StrangerBuckets + 1
)

// Has implements politeness.Work.
func (h *Host) Has() uint8 {
	if h.held {
		return 0
	}
	return h.unread
}

// Hold says whether an operator paused the host. The caller places its lane anew.
func (h *Host) Hold(on bool) { h.held = on }

// Flights implements politeness.Work.
func (h *Host) Flights() int { return h.flights }

// Fly counts a URL in flight, or with -1 the end of one.
func (h *Host) Fly(n int) { h.flights += n }

// Fresh reports a host of which nothing is stored or staged.
func (h *Host) Fresh() bool { return h.Row.At == 0 }

// URLs is the number of URLs that are known of the host.
func (h *Host) URLs() int64 { return URLs(h.Row) }

// URLs is the number of URLs that a host's row counts.
func URLs(row *schema.HostRow) int64 {
	n := int64(0)
	for _, t := range row.TierUrls {
		n += t
	}
	return n
}

// Queued is the number of entries in a row's queues that are not done.
func Queued(row *schema.HostRow) int64 {
	n := int64(0)
	for _, q := range row.Queues {
		n += q.Tail - q.Head
	}
	return n
}

// Sent notes that a URL of a class was sent, which decides the next turn.
func (h *Host) Sent(class uint8) { h.turns.Took(int(class), h.unread|1<<class) }

// Finish marks an entry done and moves the head over all entries that are.
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

// idle reports hosts whose row and queues can be read again at any time.
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
