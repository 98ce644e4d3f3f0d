package world

import (
	"math"
	"time"

	"millrace/ops/simweb/draw"
)

// never is later than every time of a web.
const never = math.MaxInt64

// wholeSecond cuts a time to seconds, the unit of Last-Modified: so whoever
// saw a page in the second of its change saw the change.
func wholeSecond(ns int64) int64 { return ns - ns%int64(time.Second) }

// life returns when a page is born and dies. Inner pages are as old as the web.
func (w *World) life(h Host, id PageID) (born, dies int64) {
	switch id.Space() {
	case Item:
		return w.itemTime(h, id), never
	case Translation:
		id = original(id)
	}
	if id.Space() != Tree || w.p.Life.Born+w.p.Life.Dies == 0 || id.Index() < w.inner(w.Pages(h)) {
		return w.epoch, never
	}
	born, dies = w.epoch, never
	span := float64(w.p.Life.Span)
	if x := w.hash(forBirth, uint64(h), uint64(id)); draw.Unit(x) < w.p.Life.Born {
		born = wholeSecond(w.start + int64(draw.Unit(draw.Mix(x))*span))
	}
	if x := w.hash(forDeath, uint64(h), uint64(id)); draw.Unit(x) < w.p.Life.Dies {
		dies = wholeSecond(max(born, w.start) + int64(draw.Unit(draw.Mix(x))*span))
	}
	return born, dies
}

// changeInterval is the mean interval between changes of a page, 0 for never.
func (w *World) changeInterval(h Host, id PageID) time.Duration {
	c := w.p.Change
	if c.Share == 0 || id.Space() != Tree {
		return 0
	}
	x := w.hash(forChangeRate, uint64(h), uint64(id))
	if draw.Unit(x) >= c.Share {
		return 0
	}
	ratio := float64(c.Slowest) / float64(c.Fastest)
	return time.Duration(float64(c.Fastest) * math.Pow(ratio, draw.Unit(draw.Mix(x))))
}

// lastChange is when a page last changed up to t, or 0 if it never did.
func (w *World) lastChange(h Host, id PageID, t int64) int64 {
	every := int64(w.changeInterval(h, id))
	if every == 0 || t < w.epoch {
		return 0
	}
	for window := (t - w.epoch) / every; window >= 0; window-- {
		last := int64(0)
		w.eachEvent(forChange, h, uint64(id), every, window, func(_ int, at int64) {
			if at <= t {
				last = max(last, at)
			}
		})
		if last != 0 {
			return last
		}
	}
	return 0
}

// maxEvents bounds the events of a window: more than 31 have a probability of
// about 10^-34 under Poisson(1).
const maxEvents = 31

// eachEvent calls f with the times of a window of a Poisson process, in no order.
func (w *World) eachEvent(why purpose, h Host, of uint64, every, window int64, f func(i int, at int64)) {
	s := draw.NewStream(w.hash(why, uint64(h), of, uint64(window)))
	from := w.epoch + window*every
	for i := range min(s.Poisson1(), maxEvents) {
		f(i, wholeSecond(from+int64(s.Float()*float64(every))))
	}
}

// Changes lists the times at which a page changed within (from, to].
func (w *World) Changes(h Host, id PageID, from, to time.Time) []time.Time {
	every := int64(w.changeInterval(h, id))
	if every == 0 {
		return nil
	}
	var times []time.Time
	a, b := max(from.UnixNano(), w.epoch), to.UnixNano()
	for window := (a - w.epoch) / every; window <= (b-w.epoch)/every; window++ {
		w.eachEvent(forChange, h, uint64(id), every, window, func(_ int, at int64) {
			if at > a && at <= b {
				times = append(times, time.Unix(0, at).UTC())
			}
		})
	}
	sortTimes(times)
	return times
}

// StaleSince is when the text of a page first became another than it was when
// it was fetched: the first change or its death within (fetched, now]; zero if it did
// not.
func (w *World) StaleSince(h Host, id PageID, fetched, now time.Time) time.Time {
	var since time.Time
	if _, dies := w.life(h, id); dies > fetched.UnixNano() && dies <= now.UnixNano() {
		since = time.Unix(0, dies).UTC()
	}
	if id.Space() != Tree {
		return since // only tree pages change
	}
	s := w.source(h, id, w.role(h, id.Index()))
	if w.lastChange(s.Host, s.Page, now.UnixNano()) <= fetched.UnixNano() {
		return since
	}
	changes := w.Changes(s.Host, s.Page, fetched, now)
	if len(changes) > 0 && (since.IsZero() || changes[0].Before(since)) {
		return changes[0]
	}
	return since
}

// Life returns when a page appears and disappears; the zero time for never.
func (w *World) Life(h Host, id PageID) (born, dies time.Time) {
	b, d := w.life(h, id)
	if b < never {
		born = time.Unix(0, b).UTC()
	}
	if d < never {
		dies = time.Unix(0, d).UTC()
	}
	return born, dies
}
