package politeness

import (
	"slices"
	"time"

	"millrace/schema"
	"millrace/streams/heap"
)

// Lead is how long before its key can start it a URL is sent at the earliest.
const Lead = 5 * time.Second

// Burst is the most URLs of one key that are sent in one turn.
const Burst = 8

// Work is a host, as far as its lane needs to know it.
type Work interface {
	Has() uint8   // bit c: class c of its queues has something to look at
	Urgent() bool // its next turn is that of an urgent URL (Turns.Next)
	Flights() int // URLs in flight
}

// Pace tells keys that answered promptly when they were last asked (Quick) from those that did not
// or were never asked (Unproven).
type Pace uint8

// The paces.
const (
	Unproven Pace = iota
	Quick
	paces
)

// patience is how long (ms) a flight counts in the backlog: the URL of a quick key may wait for its
// delay, that of an unproven key could start at once.
func (p Pace) patience() int64 {
	if p == Quick {
		return 2 * Lead.Milliseconds()
	}
	return 2000
}

// Lane is one politeness key with the hosts that share it.
//
// It is large because it has a field for every list and heap that it can be in. There may be a
// million lanes in memory.
type Lane struct {
	Key     string
	hosts   []Work
	dest    *Dest
	site    *siteShare
	next    int64 // ms: estimate of when the key can start one more request
	blocked int64 // ms: no request before
	delay   int64 // ms between two starts
	least   int64 // ms: the part of delay that rules ask for
	flights int64
	urgents int64 // of flights: those of urgent URLs
	pace    Pace

	order int64 // position among the ready lanes
	at    int64 // ms: end of waiting
	in    *heap.Heap[*Lane]
	place int
	held  bool // put aside in its site's list
}

// Site is the site of the host that the lane was made for.
func (l *Lane) Site() schema.Site { return schema.Site(l.site.name) }

// has is the union of what the lane's hosts have to do.
func (l *Lane) has() (set uint8) {
	for _, h := range l.hosts {
		set |= h.Has()
	}
	return set
}

// Host returns the host that sends next URLs of some classes: one whose turn is an urgent URL's,
// else one with urgent URLs, else the one with the fewest flights; nil if none has work.
func (l *Lane) Host(classes uint8) Work {
	var pick Work
	for _, h := range l.hosts {
		if h.Has()&classes == 0 {
			continue
		}
		if pick == nil || urgency(h) > urgency(pick) ||
			urgency(h) == urgency(pick) && h.Flights() < pick.Flights() {
			pick = h
		}
	}
	return pick
}

// urgency orders hosts: 2 if its next turn is an urgent URL's, 1 if it has one, else 0.
func urgency(h Work) int {
	switch {
	case h.Urgent():
		return 2
	case h.Has()&UrgentClasses != 0:
		return 1
	}
	return 0
}

// overtakes reports whether the next turn of one of its hosts is that of an urgent URL.
func (l *Lane) overtakes() bool {
	return slices.ContainsFunc(l.hosts, func(h Work) bool { return h.Urgent() })
}

// opens is when (ms) the next URL of the key may be sent: Lead before the key can start it, after
// those ahead of it that are in flight.
func (l *Lane) opens(ahead int64) int64 {
	if l.delay == 0 {
		return l.blocked - Lead.Milliseconds()
	}
	return max(l.next-l.delay*(l.flights-ahead), l.blocked) - Lead.Milliseconds()
}

// leave removes a host and reports whether it was the last one.
func (l *Lane) leave(h Work) bool {
	l.hosts = slices.DeleteFunc(l.hosts, func(o Work) bool { return o == h })
	return len(l.hosts) == 0
}
