package politeness

import "millrace/streams/heap"

// Dest is one partition of urls.scheduled. Its backlog is the URLs sent a few seconds ago. Older
// flights wait for an answer of their host and do not count.
type Dest struct {
	ready       [paces][kinds]heap.Heap[*Lane]
	flights     int
	young       [paces]int // flights no older than Pace.patience
	sites       map[string]*siteShare
	drain       drain
	urgentTurns int // turns of urgent lanes in a row
	pressing    allowance

	least, most int // bounds of the backlog and of all flights
}

func newDest(least, most int) *Dest {
	d := &Dest{sites: map[string]*siteShare{}, least: least, most: most}
	for p := range d.ready {
		for u := range d.ready[p] {
			d.ready[p][u] = heap.Heap[*Lane]{
				Less: func(a, b *Lane) bool { return a.order < b.order },
				At:   func(l *Lane) *int { return &l.place },
			}
		}
	}
	return d
}

// kind tells lanes apart by what they have.
type kind uint8

const (
	usual  kind = iota
	feeds       // a feed, sitemap or hub is due
	urgent      // class 0
	kinds
)

func kindOf(has uint8) kind {
	switch {
	case has&UrgentClasses != 0:
		return urgent
	case has&feedClasses != 0:
		return feeds
	}
	return usual
}

func (d *Dest) queue(l *Lane, has uint8) *heap.Heap[*Lane] { return &d.ready[l.pace][kindOf(has)] }

// bound is the limit of the backlog: two seconds of the measured drain, between least and most.
func (d *Dest) bound() int { return max(d.least, min(int(2*d.drain.rate), d.most)) }

// urgentTurns is the most turns of urgent lanes in a row while others are ready.
const urgentTurns = 4

// Turn is the turn of a lane: how many URLs it may send, and of which classes (bit c: class c).
// Lane is nil if no lane has a turn.
type Turn struct {
	Lane    *Lane
	Room    int
	Classes uint8
}

// Next returns the next turn. Urgent URLs are limited only by the bound of all flights. If the
// destination's reader is behind, or the backlog is full, only urgent URLs and feeds go on, a few a
// second (allowance): so news does not wait behind what is already on its way.
func (d *Dest) Next(now int64, behind bool) Turn {
	d.drain.roll(now)
	bound := d.bound()
	room := [paces]int{Quick: bound - d.young[Quick] - d.young[Unproven]}
	room[Unproven] = min(room[Quick], (bound+1)/2-d.young[Unproven])
	left := d.most - d.flights
	if behind {
		return d.press(now, bound, left)
	}
	pressing, _ := d.first(urgent, [paces]int{Burst, Burst}, bound)
	other, otherPace := d.first(usual, room, bound)
	if feed, pace := d.first(feeds, room, bound); feed != nil && (other == nil || feed.order < other.order) {
		other, otherPace = feed, pace
	}
	switch {
	case pressing != nil && (other == nil || d.urgentTurns < urgentTurns):
		d.urgentTurns++
		return Turn{pressing, min(Burst, left), AllClasses}
	case other != nil:
		d.urgentTurns = 0
		return Turn{other, min(room[otherPace], left), AllClasses}
	}
	return d.press(now, bound, left)
}

// press returns the next turn of a lane with urgent URLs or feeds, as far as the allowance reaches.
func (d *Dest) press(now int64, bound, left int) Turn {
	n := d.pressing.left(now)
	if n == 0 {
		return Turn{}
	}
	for _, k := range []kind{urgent, feeds} {
		if l, _ := d.first(k, [paces]int{Burst, Burst}, bound); l != nil {
			return Turn{l, min(n, left), PressingClasses}
		}
	}
	return Turn{}
}

// Press counts URLs that were sent in a turn of PressingClasses.
func (d *Dest) Press(n int) { d.pressing.used(n) }

// allowance is how many urgent URLs and feeds may be sent while the reader is behind: pressRate a
// second, and pressMost at once. Without it the rechecks of an operator would fill the log.
type allowance struct {
	n  float64
	at int64 // ms
}

const (
	pressRate = 50
	pressMost = 64
)

func (a *allowance) left(now int64) int {
	if a.at == 0 || now < a.at {
		a.n = pressMost
	} else {
		a.n = min(a.n+float64(now-a.at)*pressRate/1000, pressMost)
	}
	a.at = now
	return int(a.n)
}

func (a *allowance) used(n int) { a.n -= float64(n) }

// first returns the lane with the earliest turn among those of a kind for whose pace there is room.
// It puts lanes aside whose site has its share.
func (d *Dest) first(k kind, room [paces]int, bound int) (*Lane, Pace) {
	var pick *Lane
	var pace Pace
	for p := range paces {
		q := &d.ready[p][k]
		for q.Len() > 0 && q.Top().site.full(p, k, bound) {
			l := q.Pop()
			l.in, l.held = nil, true
			l.site.held = append(l.site.held, l)
		}
		if q.Len() > 0 && room[p] > 0 && (pick == nil || q.Top().order < pick.order) {
			pick, pace = q.Top(), p
		}
	}
	return pick, pace
}

// Ready is the number of lanes whose turn it is.
func (d *Dest) Ready() int {
	n := 0
	for p := range d.ready {
		for k := range d.ready[p] {
			n += d.ready[p][k].Len()
		}
	}
	for _, s := range d.sites {
		n += len(s.held)
	}
	return n
}

// siteShare counts what the hosts of one site have in flight, so that a site with thousands of host
// names (wildcard DNS) cannot take the whole backlog.
type siteShare struct {
	name     string
	lanes    int
	young    int
	unproven int
	held     []*Lane // ready, but put aside: the site has its share
}

// maxUnproven is how many URLs of unproven keys a site may have in flight.
const maxUnproven = 64

// full reports whether a site has its share. Urgent URLs have as much again, so that they do not
// wait behind the rest of their site.
func (s *siteShare) full(p Pace, k kind, bound int) bool {
	share, unproven := max(Burst, bound/4), maxUnproven
	if k == urgent {
		share, unproven = 2*share, 2*unproven
	}
	return s.young >= share || p == Unproven && s.unproven >= unproven
}

// drain measures how many flights of a Dest end per second.
type drain struct {
	count int
	since int64 // ms
	rate  float64
}

func (d *drain) add(now int64) {
	d.count++
	d.roll(now)
}

// roll takes a measurement each second: an exponential average with weight 1/4.
func (d *drain) roll(now int64) {
	if d.since == 0 || d.since > now {
		d.since = now
	}
	if span := now - d.since; span >= 1000 {
		d.rate += (float64(d.count)*1000/float64(span) - d.rate) / 4
		d.count, d.since = 0, now
	}
}
