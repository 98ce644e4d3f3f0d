package schedule

import (
	"container/heap"
	"time"

	"millrace/schema"
)

// frontier decides which politeness key comes next. A key that waits - for its
// delay, for the end of a block, for outcomes - stands in no list that anything
// scans: it costs nothing until its time comes.
type frontier struct {
	dests   []*dest // by partition of urls.scheduled; a single one when hosts are the keys
	waiting laneHeap
	sites   map[string]*lane // by key, when sites are the keys
	order   int64
	delay   int64 // ms, at least, for every key
	window  int64
	flights int
}

// dest is one partition of urls.scheduled. What was emitted a few seconds ago
// is its backlog; older flights wait for an answer and hold nobody up.
type dest struct {
	ready   [paces]laneHeap
	flights int
	young   [paces]int // flights no older than pace.patience
	drain   drain
}

// pace tells keys that answered promptly when they were last asked from those
// that did not, or never were. The latter have one URL in flight each, and may
// fill half of a partition's backlog, so that any number of hosts that hang
// leaves room for the others (I13).
type pace uint8

const (
	unproven pace = iota
	quick
	paces
)

// patience is how long (ms) a flight counts as backlog: that of a quick key may
// wait for its delay, that of another could start at once.
func (p pace) patience() int64 {
	if p == quick {
		return 2 * lead.Milliseconds()
	}
	return 2000
}

// lane is one politeness key with the hosts that share it.
type lane struct {
	key     string
	hosts   []*host
	dest    *dest
	next    int64 // by estimate, when the key can start one more request (ms)
	blocked int64 // no request before
	delay   int64 // ms between two starts
	flights int64
	pace    pace

	class uint8 // best class of its hosts
	order int64 // turn among those of a class
	at    int64 // end of waiting
	in    *laneHeap
	index int
}

const noClass = classes

// best is the best class that any host of the lane has work in.
func (l *lane) best() uint8 {
	best := uint8(noClass)
	for _, h := range l.hosts {
		best = min(best, h.best())
	}
	return best
}

// host returns the lane's host with the best work, the least busy one of equals.
func (l *lane) host() *host {
	var pick *host
	for _, h := range l.hosts {
		if h.best() < noClass && (pick == nil || h.best() < pick.best() ||
			h.best() == pick.best() && h.flights < pick.flights) {
			pick = h
		}
	}
	return pick
}

// room is how many more requests of a key may be in flight: as many as fit into
// the lead, or one to try it.
func (f *frontier) room(l *lane) int64 {
	window := f.window
	if l.pace == unproven {
		window = 1
	} else if l.delay > 0 {
		window = min(window, max(1, lead.Milliseconds()/l.delay))
	}
	return window - l.flights
}

// opens is when the next URL of a key may be emitted.
func (l *lane) opens() int64 {
	if l.delay == 0 {
		return l.blocked - lead.Milliseconds()
	}
	return max(l.next, l.blocked) - lead.Milliseconds()
}

// place puts a lane where it belongs now.
func (f *frontier) place(l *lane, now int64) {
	class := l.best()
	if l.in == &l.dest.ready[l.pace] && class == l.class && f.room(l) > 0 && l.opens() <= now {
		return // it keeps its turn
	}
	f.remove(l)
	l.class = class
	switch {
	case class == noClass || f.room(l) <= 0:
	case l.opens() > now:
		l.at = l.opens()
		f.waiting.push(l)
	default:
		f.order++
		l.order = f.order
		l.dest.ready[l.pace].push(l)
	}
}

// setPace moves a lane among those of its pace.
func (f *frontier) setPace(l *lane, p pace, now int64) {
	if l.pace != p {
		f.remove(l)
		l.pace = p
		f.place(l, now)
	}
}

// turn puts a lane behind the others of its class.
func (f *frontier) turn(l *lane, now int64) {
	f.remove(l)
	f.place(l, now)
}

func (f *frontier) remove(l *lane) {
	if l.in != nil {
		heap.Remove(l.in, l.index)
	}
}

// wake moves the lanes whose time has come.
func (f *frontier) wake(now int64) {
	for f.waiting.Len() > 0 && f.waiting.list[0].at <= now {
		f.place(f.waiting.list[0], now)
	}
}

// started notes an emission.
func (f *frontier) started(l *lane, now int64) {
	l.dest.young[l.pace]++
	l.next = max(now, l.next, l.blocked) + l.delay
	l.flights++
	l.dest.flights++
	f.flights++
}

// ended notes the end of a flight. at is when its request was started, 0 if it
// was not: from then on those still in flight follow, one delay apart.
func (f *frontier) ended(l *lane, at, now int64) {
	l.flights--
	l.dest.flights--
	f.flights--
	l.dest.drain.add(now)
	if at > 0 {
		l.next = min(at, now) + l.delay*(1+l.flights)
	} else if l.flights == 0 {
		l.next = min(l.next, now)
	}
}

// lane returns the lane of a host: its own, or its site's.
func (f *frontier) lane(h *host, row *schema.HostRow, by PoliteBy, partitions int32) *lane {
	key, d := string(h.name), f.dests[0]
	if by == BySite {
		key = row.Site
		d = f.dests[schema.Partition(key, partitions)]
	}
	l := f.sites[key]
	if l == nil {
		l = &lane{key: key, dest: d, delay: f.delay}
		if by == BySite {
			f.sites[key] = l
		}
	}
	l.hosts = append(l.hosts, h)
	f.learn(l, row)
	return l
}

// learn takes over what fetch told of a host: its last word where the key is the
// host's own, the strictest word of all where hosts share it.
func (f *frontier) learn(l *lane, row *schema.HostRow) {
	if len(l.hosts) == 1 {
		l.delay, l.blocked = f.delay, 0
	}
	l.delay = max(l.delay, row.CrawlDelayMs)
	l.blocked = max(l.blocked, row.BlockedUntil)
}

// drain measures how many flights of a partition end per second.
type drain struct {
	count int
	since int64 // ms
	rate  float64
}

func (d *drain) add(now int64) {
	d.count++
	d.roll(now)
}

// roll takes a measurement each second; one counts for a quarter.
func (d *drain) roll(now int64) {
	if d.since == 0 {
		d.since = now
	}
	if span := now - d.since; span >= 1000 {
		d.rate += (float64(d.count)*1000/float64(span) - d.rate) / 4
		d.count, d.since = 0, now
	}
}

// next returns the lane whose turn it is, and how many URLs may be emitted; nil
// if there is none. What is needed now (class 0) is bound by the hard limit only.
func (d *dest) next(o *Options) (*lane, int) {
	// two seconds of the drain
	bound := max(o.InFlightLeast, min(int(2*d.drain.rate), o.InFlightMost))
	room := [paces]int{quick: bound - d.young[quick] - d.young[unproven]}
	room[unproven] = min(room[quick], (bound+1)/2-d.young[unproven])
	var pick *lane
	n := 0
	for p := range paces {
		if d.ready[p].Len() == 0 {
			continue
		}
		l := d.ready[p].list[0]
		if l.class == classNow {
			room[p] = burst
		}
		if room[p] > 0 && (pick == nil || l.before(pick)) {
			pick, n = l, room[p]
		}
	}
	return pick, min(n, o.InFlightMost-d.flights)
}

// before orders lanes that are ready: by class, then by turn.
func (l *lane) before(o *lane) bool {
	if l.class != o.class {
		return l.class < o.class
	}
	return l.order < o.order
}

// laneHeap orders lanes by class and turn, or by the end of their waiting.
type laneHeap struct {
	list   []*lane
	byTime bool
}

func (h *laneHeap) push(l *lane) { heap.Push(h, l) }

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (h *laneHeap) Len() int { return len(h.list) }

func (h *laneHeap) Less(i, j int) bool {
	if h.byTime {
		return h.list[i].at < h.list[j].at
	}
	return h.list[i].before(h.list[j])
}

func (h *laneHeap) Swap(i, j int) {
	h.list[i], h.list[j] = h.list[j], h.list[i]
	h.list[i].index, h.list[j].index = i, j
}

// Push implements heap.Interface.
func (h *laneHeap) Push(x any) {
	l := x.(*lane)
	l.in, l.index = h, len(h.list)
	h.list = append(h.list, l)
}

// Pop implements heap.Interface.
func (h *laneHeap) Pop() any {
	l := h.list[len(h.list)-1]
	h.list[len(h.list)-1] = nil
	h.list = h.list[:len(h.list)-1]
	l.in = nil
	return l
}

func millis(t time.Time) int64 { return t.UnixMilli() }
