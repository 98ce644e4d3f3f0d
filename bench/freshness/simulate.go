package main

import (
	"math"
	"math/rand/v2"
)

// simulate runs a rule on a host. A rule that gives the times of its looks itself is
// asked at these; another fills the budget's slots, which are evenly spaced.
func simulate(r rule, h *host) *tally {
	m := h.model
	t := &tally{}
	if m.Days <= coldDays {
		t.days = make([]share, coldDays)
	}
	r.begin(h)
	signals, renewals := newSignals(h), newRenewals(h)
	step := 1 / h.budget
	timed, free := r.(interface{ due() float64 })
	for now := step; now < m.Days; {
		if t.slots++; !free {
			now += step
		} else {
			now = min(max(timed.due(), now), renewals.next, signals.next())
		}
		if now >= m.Days {
			break
		}
		for p := renewals.pick(now); p != nil; p = renewals.pick(now) {
			t.count(p, now, m.From)
			p.renew(now)
			signals.after(p)
			r.renewed(p, now)
		}
		signals.tell(r, now)
		p := r.next(now)
		if p == nil {
			continue
		}
		t.fetched(p, now)
		if d := int(now); d < len(t.days) {
			t.days[d].fetches += 1 / h.budget
		}
		since := p.fetched
		t.count(p, now, m.From)
		changed := p.fetch(now)
		signals.after(p)
		r.looked(p, now, since, changed)
	}
	for _, p := range h.pages {
		t.count(p, m.Days, m.From)
	}
	return t
}

// fetched counts a fetch.
func (t *tally) fetched(p *page, now float64) {
	if now < p.host.model.From {
		return
	}
	t.fetches++
	if p.kind == restless {
		t.wrong++
	}
}

// renewals replace pages by new ones, a part of them each day.
type renewals struct {
	h    *host
	rand *rand.Rand
	next float64
}

func newRenewals(h *host) *renewals {
	r := &renewals{h: h, rand: stream(h.seed, h.number, len(h.pages), 3)}
	r.next = r.after(0)
	return r
}

func (r *renewals) after(now float64) float64 {
	if r.h.model.Turnover == 0 {
		return math.Inf(1)
	}
	return now + r.rand.ExpFloat64()/r.h.model.Turnover/float64(len(r.h.pages))
}

// pick returns a page that is replaced until now; nil = none is left.
func (r *renewals) pick(now float64) *page {
	if r.next > now {
		return nil
	}
	r.next = r.after(r.next)
	return r.h.pages[r.rand.IntN(len(r.h.pages))]
}

// signals are what a site tells of its pages: of a part of the first changes after a
// fetch, at once, and lies.
type signals struct {
	h   *host
	q   *queue
	lie *queue
}

func newSignals(h *host) *signals {
	s := &signals{h, newQueue(len(h.pages)), newQueue(len(h.pages))}
	for _, p := range h.pages {
		s.after(p)
		s.lie.set(p.index, s.nextLie(0))
	}
	return s
}

func (s *signals) nextLie(now float64) float64 {
	if s.h.model.Lies == 0 {
		return math.Inf(1)
	}
	return now + s.h.rand.ExpFloat64()/s.h.model.Lies
}

func (s *signals) after(p *page) {
	due := math.Inf(1)
	if s.h.model.Honest > 0 && s.h.rand.Float64() < s.h.model.Honest {
		due = p.change
	}
	s.q.set(p.index, due)
}

// next is when something is told next.
func (s *signals) next() float64 {
	_, a := s.q.first()
	_, b := s.lie.first()
	return min(a, b)
}

func (s *signals) tell(r rule, now float64) {
	for i, at := s.q.first(); at <= now; i, at = s.q.first() {
		s.q.set(i, math.Inf(1))
		r.told(s.h.pages[i], now)
	}
	for i, at := s.lie.first(); at <= now; i, at = s.lie.first() {
		s.lie.set(i, s.nextLie(now))
		r.told(s.h.pages[i], now)
	}
}
