// Package polling decides when a feed or a sitemap is asked again: soon where entries
// are expected, rarely where they are not. It is pure: no store, no log, no clock of
// its own.
//
// Goals: an entry is found soon after it is published, at few polls; a feed that writes
// by day and on workdays is asked then.
//
// How it works: entries come as a Poisson process whose rate follows the hour of the
// day and the day of the week. Observe counts the entries that are new since the last
// poll, at the times that they say; a decayed count over 43 days is the rate. Pause is
// the time after which the delays that entries are expected to have gathered reach
// Limits.Price: with a steady rate r that is sqrt(2 price / r), which makes the sum of
// delays and polls least. What a feed says of itself (ttl, sy:updatePeriod) counts as
// two entries; in hours and on days that it asks to be left alone none are expected.
//
// Promises: the same state and time give the same pause; it is between Limits.Least
// and Limits.Most, whatever a feed says. A list is compared by its entries: another
// size or ETag of the same entries is nothing new.
//
// On failure: nothing here can fail. Numbers that cannot be count as none.
//
// Limits: of a list 100 entries are compared. Twenty new entries at once count as
// twenty, and so does any greater number.
package polling

import (
	"bytes"
	"math"
	"slices"
	"time"

	"millrace/schema"
)

// Limits are what an operator allows.
type Limits struct {
	Least, Most time.Duration
	Price       time.Duration // what a poll costs, in delay of one entry; 0 = DefaultPrice
}

// DefaultPrice has a feed with an entry an hour asked every ten minutes, one with an
// entry a day every 49.
const DefaultPrice = 50 * time.Second

// Start values.
const (
	memoryDays = 43.0 // after which evidence counts for a third: a half-life of 30 days
	firstRate  = 1.0  // entries a day of a feed of which nothing is known,
	firstCount = 0.5  // and how many entries that counts for
	saidCount  = 2    // entries that a feed's own word counts for
	smoothing  = 3    // entries an hour or day that the profile begins with
	mostNew    = 20   // new entries that one poll counts
	lookBack   = 30   // days of dated entries that a first poll counts
	step       = 5 * time.Minute
)

const dayMillis = float64(24 * time.Hour / time.Millisecond)

// Observe takes in a poll at that time (ms): what it listed, or nil if the answer was
// that nothing has changed.
func Observe(s *schema.FeedState, m *schema.Listed, at int64) {
	heal(s)
	first := s.PolledAt == 0
	if m == nil {
		if !first {
			pass(s, at)
		}
		return
	}
	s.EveryMs, s.SkipHours, s.SkipDays, s.Rev = m.EveryMs, m.SkipHours, m.SkipDays, m.Rev
	fresh := newTimes(s, m, at)
	if first {
		begin(s, m, at)
	} else {
		pass(s, at)
	}
	for _, t := range fresh {
		count(s, t)
	}
	s.PolledAt, s.Hash, s.Seen = at, m.Hash, m.Ids[:min(len(m.Ids), 100)]
}

// pass lets the time since the last poll go by.
func pass(s *schema.FeedState, at int64) {
	span := max(float64(at-s.PolledAt)/dayMillis, 0)
	fade := math.Exp(-span / memoryDays)
	s.Entries *= fade
	s.Days = s.Days*fade + min(span, memoryDays)
	for i := range s.Hours {
		s.Hours[i] *= float32(fade)
	}
	for i := range s.Week {
		s.Week[i] *= float32(fade)
	}
	s.PolledAt = max(at, s.PolledAt)
}

// begin takes the dates of a first list as if it had been polled since.
func begin(s *schema.FeedState, m *schema.Listed, at int64) {
	oldest := at
	for _, t := range m.Times {
		if t > 0 && t <= at {
			oldest = min(oldest, t)
		}
	}
	if oldest < at {
		s.Days = min(max(float64(at-oldest)/dayMillis, 0.25), lookBack)
	}
}

// newTimes are when the entries came that the last list did not have. The first list
// counts what it dates itself.
func newTimes(s *schema.FeedState, m *schema.Listed, at int64) []int64 {
	first := s.PolledAt == 0
	if !first && len(m.Hash) > 0 && bytes.Equal(m.Hash, s.Hash) {
		return nil
	}
	var out []int64
	for i, id := range m.Ids[:min(len(m.Ids), 100)] {
		t := int64(0)
		if i < len(m.Times) {
			t = m.Times[i]
		}
		dated := t > 0 && t <= at
		switch {
		case first && (!dated || float64(at-t) > lookBack*dayMillis), !first && slices.Contains(s.Seen, id):
			continue
		case !dated || !first && float64(s.PolledAt-t) > dayMillis:
			t = at
		}
		if out = append(out, t); !first && len(out) == mostNew {
			break
		}
	}
	if !first && len(out) == 0 { // an entry that is not among those compared
		out = append(out, at)
	}
	return out
}

func count(s *schema.FeedState, at int64) {
	t := time.UnixMilli(at).UTC()
	s.Entries++
	s.Hours[t.Hour()]++
	s.Week[int(t.Weekday())]++
}

// heal gives a state its lists, and replaces numbers that cannot be.
func heal(s *schema.FeedState) {
	good := func(x float64) bool { return x >= 0 && x < 1e9 }
	ok := len(s.Hours) == 24 && len(s.Week) == 7 && good(s.Entries) && good(s.Days)
	for _, x := range append(slices.Clone(s.Hours), s.Week...) {
		ok = ok && good(float64(x))
	}
	if !ok {
		s.Hours, s.Week, s.Entries, s.Days = make([]float32, 24), make([]float32, 7), 0, 0
	}
}

// Rate is the entries a day that are expected on average.
func Rate(s *schema.FeedState) float64 {
	n, rate := firstCount, firstRate
	if s.EveryMs > 0 {
		n, rate = saidCount, min(max(dayMillis/float64(s.EveryMs), 1.0/30), 288)
	}
	return (s.Entries + n) / (s.Days + n/rate)
}

// rateAt is the entries a day that are expected at a time.
func rateAt(s *schema.FeedState, mean float64, t time.Time) float64 {
	h, d := t.Hour(), int(t.Weekday())
	if s.SkipHours>>h&1 == 1 || s.SkipDays>>d&1 == 1 {
		return 0
	}
	all := float64(s.Entries)
	hour := (float64(s.Hours[h]) + smoothing) / (all/24 + smoothing)
	day := (float64(s.Week[d]) + smoothing) / (all/7 + smoothing)
	return mean * hour * day
}

// Pause is how long to wait from a time (ms) on before the next poll.
func Pause(s *schema.FeedState, l Limits, at int64) time.Duration {
	heal(s)
	if l.Price <= 0 {
		l.Price = DefaultPrice
	}
	mean, dt := Rate(s), step.Hours()/24
	waiting, delay, price := 0.0, 0.0, l.Price.Hours()/24
	now := time.UnixMilli(at).UTC()
	for pause := time.Duration(0); pause < l.Most; pause += step {
		come := rateAt(s, mean, now.Add(pause)) * dt
		more := (waiting + come/2) * dt
		if come > 0 && delay+more >= price {
			part := time.Duration(float64(step) * (price - delay) / more)
			return min(max(pause+part, l.Least), l.Most)
		}
		waiting, delay = waiting+come, delay+more
	}
	return l.Most
}
