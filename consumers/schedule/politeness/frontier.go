package politeness

import (
	"cmp"
	"math"
	"time"

	"millrace/schema"
	"millrace/streams/heap"
)

// Frontier holds the lanes of the hosts of one partition of urls.discovered.
type Frontier struct {
	dests   []*Dest // one for each partition of urls.scheduled; only one if hosts are the keys
	waiting heap.Heap[*Lane]
	shared  map[string]*Lane // by key, if sites or addresses are the keys; else nil
	order   int64
	delay   int64 // ms, at least, for every key
	window  int64
	young   [paces][]*Slot // in the order in which they were sent
	last    int64          // time of the last Wake
	least   func(schema.Host, schema.Site) int64
	byIP    bool
}

// Options are what a Frontier needs to know.
type Options struct {
	Delay       time.Duration // least time between two starts of a key
	Window      int           // most URLs in flight of a key
	Least, Most int           // bounds of the backlog of a destination
	BySite      bool          // sites are the keys, spread over Partitions
	ByIP        bool          // IP addresses are the keys; a host whose address is unknown (HostRow.ip) is its own key
	Partitions  int32

	Slower func(schema.Host, schema.Site) int64 // least delay (ms) that rules set for a host; nil: none
}

// New returns a Frontier without lanes.
func New(o Options) *Frontier {
	f := &Frontier{delay: o.Delay.Milliseconds(), least: o.Slower, byIP: o.ByIP, window: int64(o.Window), waiting: heap.Heap[*Lane]{
		Less: func(a, b *Lane) bool { return a.at < b.at },
		At:   func(l *Lane) *int { return &l.place },
	}}
	dests := 1
	if o.BySite || o.ByIP {
		dests, f.shared = int(o.Partitions), map[string]*Lane{}
	}
	for range dests {
		f.dests = append(f.dests, newDest(o.Least, o.Most))
	}
	return f
}

// Dests are the destinations.
func (f *Frontier) Dests() []*Dest { return f.dests }

// Waiting is the number of lanes that wait for their delay or a block.
func (f *Frontier) Waiting() int { return f.waiting.Len() }

// Ready is the number of lanes whose turn it is.
func (f *Frontier) Ready() int {
	n := 0
	for _, d := range f.dests {
		n += d.Ready()
	}
	return n
}

// Join adds a host to the lane of its key, and creates the lane if needed.
func (f *Frontier) Join(h Work, name schema.Host, row *schema.HostRow) *Lane {
	key, d := string(name), f.dests[0]
	if f.shared != nil {
		if key = row.Site; f.byIP {
			key = cmp.Or(row.Ip, string(name))
		}
		d = f.dests[schema.Partition(key, int32(len(f.dests)))]
	}
	l := f.shared[key]
	if l == nil {
		l = &Lane{Key: key, dest: d, delay: f.delay, place: -1, site: d.sites[row.Site]}
		if l.site == nil {
			l.site = &siteShare{name: row.Site}
			d.sites[row.Site] = l.site
		}
		l.site.lanes++
		if f.shared != nil {
			f.shared[key] = l
		}
	}
	l.hosts = append(l.hosts, h)
	if f.least != nil {
		l.least = max(l.least, f.least(name, schema.Site(row.Site)))
	}
	f.Learn(l, row)
	return l
}

// Leave removes a host from its lane, and the lane with its last host.
func (f *Frontier) Leave(l *Lane, h Work) {
	if !l.leave(h) {
		return
	}
	f.remove(l)
	if f.shared != nil {
		delete(f.shared, l.Key)
	}
	if l.site.lanes--; l.site.lanes == 0 {
		delete(l.dest.sites, l.site.name)
	}
}

// Learn takes over delay and block from a host's row. If several hosts share the lane, the
// strictest values count.
func (f *Frontier) Learn(l *Lane, row *schema.HostRow) {
	if len(l.hosts) == 1 {
		l.delay, l.blocked = f.delay, 0
	}
	l.delay = max(l.delay, l.least)
	l.delay = max(l.delay, row.CrawlDelayMs)
	l.blocked = max(l.blocked, row.BlockedUntil)
}

// Slow sets the least delays (ms) that rules ask for, by lane. A longer delay that robots.txt asked
// for stays.
func (f *Frontier) Slow(least map[*Lane]int64) {
	for l, n := range least {
		if l.delay == l.least { // nothing else made it that long
			l.delay = f.delay
		}
		l.least = n
		l.delay = max(l.delay, n)
	}
}

// Lets reports whether one more URL of a key may be sent now. For an urgent URL only the urgent
// ones in flight count, as fetch starts it before the others; but without room it must be the only
// one.
func (f *Frontier) Lets(l *Lane, urgent bool, now int64) bool {
	return f.Room(l) > 0 && l.opens(l.flights) <= now || urgent && l.urgents == 0 && l.opens(0) <= now
}

// Room is how many more URLs of a key may be in flight: as many as can start within Lead; one for
// an unproven key.
func (f *Frontier) Room(l *Lane) int64 {
	window := f.window
	if l.pace == Unproven {
		window = 1
	} else if l.delay > 0 {
		window = min(window, max(1, Lead.Milliseconds()/l.delay))
	}
	return window - l.flights
}

// Place puts a lane where it belongs now: ready, waiting or nowhere. A lane that is ready already
// keeps its turn.
func (f *Frontier) Place(l *Lane, now int64) {
	has, at := l.has(), f.opens(l)
	ready := at <= now
	if ready && (l.held && kindOf(has) != urgent || l.in == l.dest.queue(l, has)) {
		return // it keeps its turn
	}
	f.remove(l)
	switch {
	case at == never:
	case !ready:
		f.wait(l, at)
	default:
		f.order++
		l.order, l.in = f.order, l.dest.queue(l, has)
		l.in.Push(l)
	}
}

// never is later than any time.
const never = math.MaxInt64

// opens is when (ms) a URL of a lane may be sent (Lets); never if it has none, or no room for it.
func (f *Frontier) opens(l *Lane) int64 {
	at := int64(never)
	if l.has() != 0 && f.Room(l) > 0 {
		at = l.opens(l.flights)
	}
	if l.urgents == 0 && l.overtakes() {
		at = min(at, l.opens(0))
	}
	return at
}

// Turn puts a lane behind the other ready ones.
func (f *Frontier) Turn(l *Lane, now int64) {
	f.remove(l)
	f.Place(l, now)
}

// Rest makes a lane wait until that time.
func (f *Frontier) Rest(l *Lane, until int64) {
	f.remove(l)
	f.wait(l, until)
}

func (f *Frontier) wait(l *Lane, until int64) {
	l.at, l.in = until, &f.waiting
	f.waiting.Push(l)
}

func (f *Frontier) remove(l *Lane) {
	if l.in != nil {
		l.in.Remove(l)
		l.in = nil
	}
	if l.held {
		l.held = false
		for i, o := range l.site.held {
			if o == l {
				l.site.held = append(l.site.held[:i], l.site.held[i+1:]...)
				break
			}
		}
	}
}

// Wake makes the lanes ready whose waiting time is over. If the clock jumped back by more than a
// minute, lanes wait for at most one delay from now; blocks stay.
func (f *Frontier) Wake(now int64) {
	if now < f.last-time.Minute.Milliseconds() {
		for _, l := range append([]*Lane(nil), f.waiting.All()...) {
			l.next = min(l.next, now+l.delay)
			f.Turn(l, now)
		}
	}
	f.last = now
	for f.waiting.Len() > 0 && f.waiting.Top().at <= now {
		l := f.waiting.Pop()
		l.in = nil
		f.Place(l, now)
	}
}

// Slot is one URL in flight, as the Frontier counts it.
type Slot struct {
	lane   *Lane
	pace   Pace
	urgent bool
	young  bool // counts in the backlog
	at     int64
	ended  bool
}

// Start counts a URL that was sent.
func (f *Frontier) Start(l *Lane, urgent bool, now int64) *Slot {
	s := &Slot{lane: l, pace: l.pace, urgent: urgent, young: true, at: now}
	if urgent {
		l.urgents++
	}
	f.young[s.pace] = append(f.young[s.pace], s)
	l.dest.young[s.pace]++
	l.next = max(now, l.next, l.blocked) + l.delay
	l.flights++
	l.dest.flights++
	l.site.young++
	if s.pace == Unproven {
		l.site.unproven++
	}
	return s
}

// End ends a flight. started is when its request began (ms), 0 if there was none: the other flights
// of the key are expected to follow it, one delay apart. prompt says that the answer came promptly;
// it makes the lane quick.
func (f *Frontier) End(s *Slot, started int64, prompt bool, now int64) {
	l := s.lane
	if prompt {
		f.setPace(l, Quick, now)
	}
	f.grow(s, now)
	s.ended = true
	if s.pace == Unproven {
		l.site.unproven--
	}
	if s.urgent {
		l.urgents--
	}
	l.flights--
	l.dest.flights--
	l.dest.drain.add(now)
	if started > 0 {
		l.next = min(started, now) + l.delay*(1+l.flights)
	} else if l.flights == 0 {
		l.next = min(l.next, now)
	}
	f.release(l.site, now)
}

// Mature removes from the backlog the flights that are older than their patience. Their lanes
// become unproven.
func (f *Frontier) Mature(now int64) {
	for p := range paces {
		list := f.young[p]
		for len(list) > 0 && (!list[0].young || list[0].at+p.patience() < now) {
			if s := list[0]; s.young {
				f.grow(s, now)
				f.setPace(s.lane, Unproven, now)
			}
			list[0] = nil
			list = list[1:]
		}
		f.young[p] = list
	}
}

func (f *Frontier) grow(s *Slot, now int64) {
	if s.young {
		s.young = false
		s.lane.dest.young[s.pace]--
		s.lane.site.young--
		f.release(s.lane.site, now)
	}
}

// Passed gives the turn of a lane that had nothing to send to another lane of its site that was put
// aside: no flight of the first one ends, which would do so.
func (f *Frontier) Passed(l *Lane, now int64) { f.release(l.site, now) }

// release gives a turn to the first lane of a site that was put aside and has room now.
func (f *Frontier) release(s *siteShare, now int64) {
	for i := 0; i < len(s.held); {
		l := s.held[i]
		if s.full(l.pace, kindOf(l.has()), l.dest.bound()) {
			i++
			continue
		}
		f.Turn(l, now) // takes it out of the list
		if l.in != nil && l.in != &f.waiting {
			return
		}
	}
}

// setPace changes the pace of a lane and places it anew.
func (f *Frontier) setPace(l *Lane, p Pace, now int64) {
	if l.pace != p {
		f.remove(l)
		l.pace = p
		f.Place(l, now)
	}
}
