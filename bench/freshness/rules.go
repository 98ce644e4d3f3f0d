package main

import (
	"math"

	"millrace/streams/heap"
)

// rule decides which page of a host is fetched next.
type rule interface {
	name() string
	begin(h *host)          // all pages have just been fetched
	next(now float64) *page // nil: none is due
	looked(p *page, now, since float64, changed bool)
	renewed(p *page, now float64) // the page is another one now, and was just fetched
	told(p *page, now float64)    // its site says that it has changed
}

// queue holds pages by the day when they are due.
type queue struct {
	due   []float64 // by page
	place []int
	pages heap.Heap[int]
}

func newQueue(n int) *queue {
	q := &queue{due: make([]float64, n), place: make([]int, n)}
	q.pages = heap.Heap[int]{
		Less: func(a, b int) bool { return q.due[a] < q.due[b] },
		At:   func(i int) *int { return &q.place[i] },
	}
	for i := range n {
		q.pages.Push(i)
	}
	return q
}

func (q *queue) set(i int, due float64) {
	q.due[i] = due
	q.pages.Fix(i)
}

// first is the page that is due first, and when.
func (q *queue) first() (int, float64) { return q.pages.Top(), q.due[q.pages.Top()] }

// spaced asks every page after a pause that depends on its true rate; all pauses fill
// the budget exactly. What is due first comes first, even early.
type spaced struct {
	label string
	pause func(h *host) func(*page) float64
	h     *host
	of    func(*page) float64
	q     *queue
}

func (s *spaced) name() string { return s.label }
func (s *spaced) begin(h *host) {
	s.h, s.of, s.q = h, s.pause(h), newQueue(len(h.pages))
	for _, p := range h.pages {
		s.q.set(p.index, s.of(p)*h.rand.Float64())
	}
}
func (s *spaced) next(now float64) *page {
	i, due := s.q.first()
	if math.IsInf(due, 1) {
		return nil
	}
	return s.h.pages[i]
}
func (s *spaced) looked(p *page, now, since float64, changed bool) { s.q.set(p.index, now+s.of(p)) }
func (s *spaced) renewed(p *page, now float64)                     { s.q.set(p.index, now+s.of(p)) }
func (s *spaced) told(*page, float64)                              {}

func uniform() rule {
	return &spaced{label: "uniform", pause: func(h *host) func(*page) float64 {
		return func(*page) float64 { return float64(len(h.pages)) / h.budget }
	}}
}

func proportional() rule {
	return &spaced{label: "proportional to rate", pause: func(h *host) func(*page) float64 {
		sum := 0.0
		for _, p := range h.pages {
			sum += p.rate
		}
		return func(p *page) float64 {
			if p.rate == 0 {
				return math.Inf(1)
			}
			return sum / h.budget / p.rate
		}
	}}
}

// optimum knows every page's rate: the pauses at which all looks are worth the same.
func optimum() rule {
	return &spaced{label: "optimum, known rates", pause: func(h *host) func(*page) float64 {
		price := bestPrice(h)
		return func(p *page) float64 { return bestPause(p, price) }
	}}
}

// worth returns the value of a look at a page of that rate, t days after the last look.
func worth(rate, t float64) float64 {
	x := rate * t
	return (1 - math.Exp(-x)*(1+x)) / rate
}

func bestPause(p *page, price float64) float64 {
	price /= p.weight
	if p.rate == 0 || price*p.rate >= 1 {
		return math.Inf(1)
	}
	low, high := 1e-6, 1e6
	for high/low > 1+1e-9 {
		t := math.Sqrt(low * high)
		if worth(p.rate, t) < price {
			low = t
		} else {
			high = t
		}
	}
	return low
}

func bestPrice(h *host) float64 {
	low, high := 1e-9, 1e6
	for high/low > 1+1e-7 {
		price := math.Sqrt(low * high)
		load := 0.0
		for _, p := range h.pages {
			load += 1 / bestPause(p, price)
		}
		if load > h.budget {
			low = price
		} else {
			high = price
		}
	}
	return high
}

// samples is at how many moments of a simulation bestFreshness looks at the pages.
const samples = 8

// bestFreshness is the freshness of the optimum in closed form, as a share of the weights: the mean
// over the time that is measured, because pages are replaced by others with other rates. h must be
// a new host; it is used up.
func bestFreshness(h *host) float64 {
	m, sum := h.model, 0.0
	r := newRenewals(h)
	for k := range samples {
		now := m.From + (m.Days-m.From)*(float64(k)+.5)/samples
		for p := r.pick(now); p != nil; p = r.pick(now) {
			p.draw()
		}
		fresh, all := bestNow(h)
		sum += fresh / all
	}
	return sum / samples
}

// bestNow is the freshness of the optimum for the pages as they are, weighted, and the sum of the
// weights.
func bestNow(h *host) (fresh, all float64) {
	price := bestPrice(h)
	for _, p := range h.pages {
		all += p.weight
		switch t := bestPause(p, price); {
		case p.rate == 0:
			fresh += p.weight
		case !math.IsInf(t, 1):
			fresh += p.weight * (1 - math.Exp(-p.rate*t)) / (p.rate * t)
		}
	}
	return fresh, all
}

// halves is the rule that millrace had before: an interval halves when a page has
// changed and grows by half when not, between an hour and 30 days, a day at first.
type halves struct {
	strict bool // pages at 12 hours or less go before all others
	h      *host
	q      *queue
	fast   *queue
	every  []float64
}

func (r *halves) name() string {
	if r.strict {
		return "rule before, strict classes"
	}
	return "rule before, in due order"
}
func (r *halves) begin(h *host) {
	r.h, r.q, r.fast = h, newQueue(len(h.pages)), newQueue(len(h.pages))
	r.every = make([]float64, len(h.pages))
	for _, p := range h.pages {
		r.every[p.index] = 1
		r.plan(p, h.rand.Float64()-1)
	}
}
func (r *halves) plan(p *page, now float64) {
	due := now + r.every[p.index]*(.9+.2*r.h.rand.Float64())
	if r.strict && r.every[p.index] <= .5 {
		r.fast.set(p.index, due)
		r.q.set(p.index, math.Inf(1))
		return
	}
	r.fast.set(p.index, math.Inf(1))
	r.q.set(p.index, due)
}
func (r *halves) next(now float64) *page {
	if i, due := r.fast.first(); due <= now {
		return r.h.pages[i]
	}
	if i, due := r.q.first(); due <= now {
		return r.h.pages[i]
	}
	return nil
}
func (r *halves) looked(p *page, now, since float64, changed bool) {
	every := &r.every[p.index]
	if changed {
		*every = max(*every/2, 1.0/24)
	} else {
		*every = min(*every*1.5, 30)
	}
	r.plan(p, now)
}
func (r *halves) renewed(p *page, now float64) {
	r.every[p.index] = 1
	r.plan(p, now)
}
func (r *halves) told(*page, float64) {}
