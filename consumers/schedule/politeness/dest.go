package politeness

import "millrace/streams/heap"

// Dest is one partition of urls.scheduled. Its backlog is the URLs sent a few seconds ago. Older
// flights wait for an answer of their host and do not count.
type Dest struct {
	ready       [paces][2]heap.Heap[*Lane] // by pace; index 1: lanes with urgent URLs
	flights     int
	young       [paces]int // flights no older than Pace.patience
	sites       map[string]*siteShare
	drain       drain
	urgentTurns int // turns of urgent lanes in a row

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

func (d *Dest) queue(l *Lane, has uint8) *heap.Heap[*Lane] {
	if urgent(has) {
		return &d.ready[l.pace][1]
	}
	return &d.ready[l.pace][0]
}

// bound is the limit of the backlog: two seconds of the measured drain, between least and most.
func (d *Dest) bound() int { return max(d.least, min(int(2*d.drain.rate), d.most)) }

// urgentTurns is the most turns of urgent lanes in a row while others are ready.
const urgentTurns = 4

// Next returns the lane whose turn it is and how many URLs it may send; nil if there is none.
// Urgent URLs are limited only by the bound of all flights.
func (d *Dest) Next(now int64) (*Lane, int) {
	d.drain.roll(now)
	bound := d.bound()
	room := [paces]int{Quick: bound - d.young[Quick] - d.young[Unproven]}
	room[Unproven] = min(room[Quick], (bound+1)/2-d.young[Unproven])
	left := d.most - d.flights
	pressing, _ := d.first(1, [paces]int{Burst, Burst}, bound)
	other, otherPace := d.first(0, room, bound)
	switch {
	case pressing != nil && (other == nil || d.urgentTurns < urgentTurns):
		d.urgentTurns++
		return pressing, min(Burst, left)
	case other != nil:
		d.urgentTurns = 0
		return other, min(room[otherPace], left)
	}
	return nil, 0
}

// first returns the lane with the earliest turn among those of a kind (1 = urgent) for whose pace
// there is room. It puts lanes aside whose site has its share.
func (d *Dest) first(kind int, room [paces]int, bound int) (*Lane, Pace) {
	var pick *Lane
	var pace Pace
	for p := range paces {
		q := &d.ready[p][kind]
		for q.Len() > 0 && q.Top().site.full(p, bound) {
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
		n += d.ready[p][0].Len() + d.ready[p][1].Len()
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

func (s *siteShare) full(p Pace, bound int) bool {
	return s.young >= max(Burst, bound/4) || p == Unproven && s.unproven >= maxUnproven
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
