package politeness

import (
	"slices"
	"time"

	"millrace/schema"
	"millrace/streams/heap"
)

// Lead is how long before its key can start a URL is sent at most.
const Lead = 5 * time.Second

// Burst is how many URLs of one key are sent in a row at most.
const Burst = 8

// Work is a host, as much as its lane needs to know.
type Work interface {
	Has() uint8   // bit c: class c of its queues has something to look at
	Flights() int // URLs in flight
}

// Pace tells keys that answered promptly when they were last asked from those that
// did not, or never were. The latter have one URL in flight each.
type Pace uint8

// The paces.
const (
	Unproven Pace = iota
	Quick
	paces
)

// patience is how long (ms) a URL in flight counts as backlog: that of a quick key
// may wait for its delay, that of another could start at once.
func (p Pace) patience() int64 {
	if p == Quick {
		return 2 * Lead.Milliseconds()
	}
	return 2000
}

// Lane is one politeness key with the hosts that share it.
//
// It is large because it has a field for every list and heap that it is placed in; a million of
// them are in memory.
type Lane struct {
	Key     string
	hosts   []Work
	dest    *Dest
	site    *siteShare
	next    int64 // by estimate, when the key can start one more request (ms)
	blocked int64 // no request before
	delay   int64 // ms between two starts
	least   int64 // of it: what operators want at least
	flights int64
	pace    Pace

	order int64 // its turn among the ready
	at    int64 // end of waiting
	in    *heap.Heap[*Lane]
	place int
	held  bool // stands in its site's list
}

// Site is the site of its hosts.
func (l *Lane) Site() schema.Site { return schema.Site(l.site.name) }

// has is what any host of the lane has to do.
func (l *Lane) has() (set uint8) {
	for _, h := range l.hosts {
		set |= h.Has()
	}
	return set
}

// Host returns the host whose URL comes next: one with something urgent, else the
// one with the least in flight; nil if none has work.
func (l *Lane) Host() Work {
	var pick Work
	for _, h := range l.hosts {
		if h.Has() == 0 {
			continue
		}
		if pick == nil || urgent(h.Has()) && !urgent(pick.Has()) ||
			urgent(h.Has()) == urgent(pick.Has()) && h.Flights() < pick.Flights() {
			pick = h
		}
	}
	return pick
}

func urgent(has uint8) bool { return has&urgentClasses != 0 }

// opens is when the next URL of a key may be sent.
func (l *Lane) opens() int64 {
	if l.delay == 0 {
		return l.blocked - Lead.Milliseconds()
	}
	return max(l.next, l.blocked) - Lead.Milliseconds()
}

// Opens reports whether the next URL may be sent now.
func (l *Lane) Opens(now int64) bool { return l.opens() <= now }

// leave takes a host out; it reports whether that was the last one.
func (l *Lane) leave(h Work) bool {
	l.hosts = slices.DeleteFunc(l.hosts, func(o Work) bool { return o == h })
	return len(l.hosts) == 0
}
