package freshness

import (
	"math"
	"time"

	"millrace/schema"
)

// Limits are what an operator allows.
type Limits struct {
	Every time.Duration // the budget: how often a page is looked at, on average over its host
	Least time.Duration // bounds of a page's own pause
	Most  time.Duration
	Share float64       // of the requests that a host's delay allows, for looks again
	Delay time.Duration // between two requests to a host
}

// Host is what the pages of one host have in common. State is written by Plan and
// Observe only; it is part of the host's row. A replay works on a copy.
type Host struct {
	State *schema.HostFreshness
	Delay time.Duration // the host's own, where it is longer than Limits.Delay
	Shape uint32        // of the page in question (ShapeOf); 0 = not known
}

// Start values. The rate is that of a page a week, which is about what crawls of the
// web at large find; it gives way to the host's own within some ten looks.
const (
	firstRate   = 1.0 / 7
	firstWeight = 2   // looks that the first rate counts for
	unknown     = 30  // looks that a host's rate needs before first looks are planned by it
	several     = 10  // pages that are many
	memory      = 500 // looks that a host's rate remembers
	gain        = 2   // of the controller of the price, for one average pause
	cheapest    = 1e-6
	dearest     = 1e3
	countPauses = 3  // average pauses over which looks are counted
	spread      = 30 // a pause is at most so many average pauses, if that is more than Limits.Most
)

const dayMillis = float64(24 * time.Hour / time.Millisecond)

func days(d time.Duration) float64 { return d.Hours() / 24 }

// heal replaces numbers that cannot be by those of a new host.
func (h Host) heal() {
	s := h.State
	for _, x := range []float64{s.Load, s.RateSum, s.RateWeight, s.Told, s.Hits, s.Expected, s.Came, s.Planned} {
		if x >= 0 && x < 1e12 {
			continue
		}
		s.Load, s.RateSum, s.RateWeight, s.LogPrice, s.PricedAt = 0, 0, 0, 0, 0
		s.Told, s.Hits, s.Expected, s.Came, s.Planned = 0, 0, 0, 0, 0
	}
}

func (h Host) pages() float64 { return float64(max(h.State.Pages, 1)) }

// Budget is how many looks a day the host's pages may have.
func (h Host) Budget(l Limits) float64 {
	budget := h.pages() / max(days(l.Every), leastDays)
	if delay := max(l.Delay, h.Delay); delay > 0 && l.Share > 0 {
		budget = min(budget, l.Share/days(delay))
	}
	return budget
}

// average is the pause (days) between two looks at a page at that budget.
func (h Host) average(l Limits) float64 {
	return h.pages() / h.Budget(l)
}

// Longest is the longest pause (days) of a page of the host: Limits.Most, or more
// where the budget does not reach for that. It keeps what is never worth its price
// from taking more than a thirtieth of the budget.
func (h Host) Longest(l Limits) float64 {
	return max(days(l.Most), min(spread*h.average(l), 366))
}

// Prior is what is known of a new page of the host: how often pages with URLs of its shape
// change, and, as far as few of them were looked at again, how often all do.
func (h Host) Prior() Filter { return Prior(h.shapeRate(h.rate())) }

func (h Host) rate() float64 {
	s := h.State
	if s.RateWeight <= 0 {
		return firstRate
	}
	return (firstRate*firstWeight + s.RateSum) / (firstWeight + s.RateWeight)
}

// Unknown reports whether the host has many pages and too little is known of them to plan for any.
func (h Host) Unknown() bool { return h.State.RateWeight < unknown && h.State.Pages >= several }

// learnRate takes in what the first look again told of a page. The mean over the
// pages of a host of what is expected of each is the host's rate at the fixed point
// (expectation maximisation for the scale of the gamma distribution).
func (h Host) learnRate(rate float64) {
	s := h.State
	if s.RateWeight >= memory {
		s.RateSum *= 1 - 1/float64(memory)
		s.RateWeight *= 1 - 1/float64(memory)
	}
	s.RateSum += min(rate, 50)
	s.RateWeight++
	h.learnShape(rate)
}

// Price is what a look costs now, in days of one page's being current.
func (h Host) Price(l Limits) float64 {
	if p := math.Exp(h.State.LogPrice); h.State.PricedAt > 0 && p >= cheapest/2 && p <= 2*dearest {
		return p
	}
	return h.firstPrice(l)
}

// firstPrice is the price at which all pages have the average pause, as long as
// nothing is known of any.
func (h Host) firstPrice(l Limits) float64 {
	return clampPrice(Prior(h.rate()).Value(h.average(l)))
}

func clampPrice(p float64) float64 { return min(max(p, cheapest), dearest) }

// Move brings the price to where it is now: up while the pages' plans ask for more
// looks than the budget has, and down else. late is how much more
// time after the one before than was planned (1 = it came on time): the host had no
// turn for it.
func (h Host) Move(l Limits, late float64, now int64) {
	s := h.State
	if s.Looks == 0 || s.PricedAt == 0 {
		s.LogPrice, s.PricedAt = math.Log(h.firstPrice(l)), now
		return
	}
	price := math.Log(h.Price(l))
	load := s.Load * h.count(l, late, now)
	step := min(max(float64(now-s.PricedAt)/(h.average(l)*dayMillis), 0), 0.1)
	price += gain * step * min(max(math.Log(max(load, 1e-9)/h.Budget(l)), -2), 2)
	if late > 1 {
		price += gain / max(h.pages(), 10) * min(math.Log(late), 3)
	}
	s.LogPrice, s.PricedAt = math.Log(clampPrice(math.Exp(price))), now
}

// Plan is the pause (days) before the next look at a page of that weight (1 = as
// any other).
func (h Host) Plan(l Limits, f Filter, weight float64) float64 {
	h.heal()
	if !f.Known() {
		f = h.Prior()
	}
	pause := min(f.Pause(h.Price(l)/max(weight, 1e-3)), h.parking(l))
	pause = max(pause, f.soonest(), days(l.Least))
	return min(pause, h.Longest(l))
}

// parking is the pause of a page for which the price is too high: long, but the shorter
// the less of the budget the plans use. The price falls only with looks, so on a host
// where all pages change too fast there must be some.
func (h Host) parking(l Limits) float64 {
	used := min(h.State.Load/h.Budget(l), 1)
	return max(h.average(l), h.Longest(l)*used*used*used)
}

// count takes in that a look came, and returns how many come for one that is planned:
// more where looks are brought forward, fewer where pages end before their time. A look
// that came late for want of a turn counts as those that it stands for.
func (h Host) count(l Limits, late float64, now int64) float64 {
	s := h.State
	window := countPauses * h.average(l)
	fade := math.Exp(-max(float64(now-s.PricedAt), 0) / dayMillis / window)
	if s.Planned <= 0 {
		s.Came, s.Planned = s.Load, s.Load
	}
	s.Came = s.Came*fade + min(max(late, 1), 10)/window
	s.Planned = s.Planned*fade + s.Load*(1-fade)
	return min(max(s.Came/max(s.Planned, 1e-9), 0.8), 2)
}

// Recount replaces the looks a day that a page's plan asked for by what it asks for
// now; 0 = it has no plan.
func (h Host) Recount(before, after float64) {
	s := h.State
	s.Load = max(s.Load+after-before, 0)
	if before > 0 {
		s.Pages--
	}
	if after > 0 {
		s.Pages++
	}
	if s.Pages <= 0 {
		s.Pages, s.Load = 0, 0
	}
}
