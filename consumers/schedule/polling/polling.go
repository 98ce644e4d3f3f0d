// Package polling decides when a feed or a sitemap is fetched again: soon if new entries are
// expected, rarely if not. It is pure: no store, no log, no clock of its own.
//
// # Goals
//
// A new entry is found soon after it is published, with few polls. A feed that is written by day
// and on workdays is polled at those times.
//
// # How it works
//
// Entries are modelled as a Poisson process whose rate depends on the hour of the day and the day
// of the week (UTC). Observe counts the entries that are new since the last poll, at their
// published times; the counts fade with a time constant of 43 days (a half-life of 30 days). Pause
// is the time until the expected sum of the delays of all new entries reaches Limits.Price. With a
// steady rate r that is sqrt(2 price / r), which minimises the sum of delays and costs of polls.
// What a feed says of itself (ttl, sy:updatePeriod) counts like two observed entries. In the hours
// and days in which it asks not to be polled (skipHours, skipDays) no entries are expected.
//
// # Promises
//
// The same state and time give the same pause, between Limits.Least and Limits.Most, whatever a
// feed says. Lists are compared by their entries: another size or ETag of the same entries is no
// change.
//
// # On failure
//
// Nothing here can fail. Impossible numbers count as none.
//
// # Limits
//
// The first 100 entries of a list are compared. More than twenty new entries in one poll count as
// twenty.
package polling

import (
	"bytes"
	"math"
	"slices"
	"time"

	"millrace/schema"
)

// Limits are the operator's settings.
type Limits struct {
	Least, Most time.Duration
	Price       time.Duration // cost of one poll, as a delay of one entry; 0 = DefaultPrice
}

// DefaultPrice lets a feed with one entry an hour be polled every 10 minutes, and one with one
// entry a day every 49 minutes.
const DefaultPrice = 50 * time.Second

// Start values.
const (
	memoryDays = 43.0 // time after which counts have faded to 1/e: a half-life of 30 days
	firstRate  = 1.0  // entries a day of a new feed,
	firstCount = 0.5  // and how many observed entries that counts as
	saidCount  = 2    // how many observed entries a feed's own interval counts as
	smoothing  = 3    // entries that each hour and each weekday begin with
	mostNew    = 20   // most new entries that one poll counts
	lookBack   = 30   // days of dated entries that a first poll counts
	step       = 5 * time.Minute
)

const dayMillis = float64(24 * time.Hour / time.Millisecond)

// Observe applies a poll at that time (ms). m is the list that it returned, or nil if nothing
// had changed (304).
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

// pass fades the counts by the time since the last poll.
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

// begin counts the time since the oldest entry of a first list as observed, up to lookBack days.
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

// newTimes returns the times of the entries that the last list did not have. Of a first list only
// dated entries of the last lookBack days count.
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
	if !first && len(out) == 0 { // the change is beyond the 100 compared entries
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

// heal creates missing lists and replaces impossible numbers.
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

// Rate is the expected number of entries a day, on average.
func Rate(s *schema.FeedState) float64 {
	n, rate := firstCount, firstRate
	if s.EveryMs > 0 {
		n, rate = saidCount, min(max(dayMillis/float64(s.EveryMs), 1.0/30), 288)
	}
	return (s.Entries + n) / (s.Days + n/rate)
}

// rateAt is the expected number of entries a day at a time.
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

// Pause is how long to wait, from a time (ms) on, before the next poll.
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
