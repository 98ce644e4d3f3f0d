package freshness

import (
	"math"
	"time"

	"millrace/schema"
)

// Limits are the operator's settings for re-crawls.
type Limits struct {
	Every time.Duration // the budget: the pause between two looks, on average over a host's pages
	Least time.Duration // bounds of a page's own pause
	Most  time.Duration
	Share float64       // part of the requests that a host's delay allows
	Delay time.Duration // between two requests to a host
}

// Host holds the freshness state of one host. Only Plan, Move, Observe, Try and Recount
// write to State, which is part of the host's row. On a replay the caller passes a copy of it.
type Host struct {
	State *schema.HostFreshness
	Delay time.Duration // the host's own, where it is longer than Limits.Delay
	Shape uint32        // of the page in question (ShapeOf); 0 = not known
}

// Start values. The first rate, one change a week, is about what crawls of the whole web find;
// after some ten looks the host's own rate outweighs it.
const (
	firstRate   = 1.0 / 7
	firstWeight = 2     // number of looks that the first rate counts as
	unknown     = 30    // below so many looks a host's rate is not trusted (Unknown)
	several     = 10    // pages from which Unknown applies
	memory      = 500   // looks that a host's rate remembers
	gain        = 2     // of the price controller, per average pause
	cheapest    = 1e-12 // lower than any budget leads to: pages that hardly change, asked every minute
	dearest     = 1e3
	countPauses = 3   // count averages over so many average pauses,
	countLooks  = 300 // but not over more looks than this, if that is more than one average pause
	spread      = 30  // Longest is at most so many average pauses, if that is more than Limits.Most
)

const dayMillis = float64(24 * time.Hour / time.Millisecond)

func days(d time.Duration) float64 { return d.Hours() / 24 }

// heal replaces impossible numbers by those of a new host.
func (h Host) heal() {
	s := h.State
	for _, x := range []float64{s.Load, s.RateSum, s.RateWeight, s.Told, s.Hits, s.Expected, s.Came, s.Planned, s.Changed, s.Announced} {
		if x >= 0 && x < 1e12 {
			continue
		}
		s.Load, s.RateSum, s.RateWeight, s.LogPrice, s.PricedAt = 0, 0, 0, 0, 0
		s.Told, s.Hits, s.Expected, s.Came, s.Planned = 0, 0, 0, 0, 0
		s.Changed, s.Announced = 0, 0
	}
}

func (h Host) pages() float64 { return float64(max(h.State.Pages, 1)) }

// Budget is the number of looks a day that the host's pages may have together.
func (h Host) Budget(l Limits) float64 {
	budget := h.pages() / max(days(l.Every), leastDays)
	if delay := max(l.Delay, h.Delay); delay > 0 && l.Share > 0 {
		budget = min(budget, l.Share/days(delay))
	}
	return budget
}

// average is the pause (days) of every page if all had the same.
func (h Host) average(l Limits) float64 {
	return h.pages() / h.Budget(l)
}

// Longest is the longest pause (days) of a page of the host: Limits.Most, or more if the budget is
// too small for that. So the pages that are never worth their price take at most a thirtieth of the
// budget.
func (h Host) Longest(l Limits) float64 {
	return max(days(l.Most), min(spread*h.average(l), 366))
}

// Prior is the estimate for a new page of the host: from the pages with URLs of its shape and, if
// few of those had a second look, from all pages.
func (h Host) Prior() Filter { return Prior(h.shapeRate(h.rate())) }

func (h Host) rate() float64 {
	s := h.State
	if s.RateWeight <= 0 {
		return firstRate
	}
	return (firstRate*firstWeight + s.RateSum) / (firstWeight + s.RateWeight)
}

// Unknown reports whether the host has many pages, but too few looks to plan by.
func (h Host) Unknown() bool { return h.State.RateWeight < unknown && h.State.Pages >= several }

// learnRate takes in the first second look at a page. The mean of the pages' expected rates is the
// host's rate at the fixed point (expectation maximisation for the scale of the gamma
// distribution).
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

// Price is the cost of a look now, in days for which one page is current.
func (h Host) Price(l Limits) float64 {
	if p := math.Exp(h.State.LogPrice); h.State.PricedAt > 0 && p >= cheapest/2 && p <= 2*dearest {
		return p
	}
	return h.firstPrice(l)
}

// firstPrice is the price at which a page with the prior has the average pause.
func (h Host) firstPrice(l Limits) float64 {
	return clampPrice(Prior(h.rate()).Value(h.average(l)))
}

func clampPrice(p float64) float64 { return min(max(p, cheapest), dearest) }

// Move adjusts the price at a look: up while the plans ask for more looks than the budget has, else
// down. late is the real pause before this look divided by the planned one (1 = on time). A late
// look means that the host had no turn for it, so the price rises too.
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

// Plan returns the pause (days) before the next look at a page. weight is the worth of this page
// compared with the others (1 = the same).
func (h Host) Plan(l Limits, f Filter, weight float64) float64 {
	h.heal()
	if !f.Known() {
		f = h.Prior()
	}
	pause := min(f.Pause(h.Price(l)/max(weight, 1e-3), h.Recall()), h.parking(l))
	pause = max(pause, f.soonest(), days(l.Least))
	return min(pause, h.Longest(l))
}

// parking is the pause (days) of a page for which the price is too high. It is shorter the less of
// the budget is used: the price falls only at looks, so a host on which all pages change too fast
// must still have some.
func (h Host) parking(l Limits) float64 {
	used := min(h.State.Load/h.Budget(l), 1)
	return max(h.average(l), h.Longest(l)*used*used*used)
}

// count returns how many looks come for each planned one, as a fading average: more than 1 if looks
// are brought forward, less if pages end before their time. A late look counts as the several that
// it stands for.
func (h Host) count(l Limits, late float64, now int64) float64 {
	s := h.State
	window := h.average(l) * min(max(countLooks/h.pages(), 1), countPauses)
	fade := math.Exp(-max(float64(now-s.PricedAt), 0) / dayMillis / window)
	if s.Planned <= 0 {
		s.Came, s.Planned = s.Load, s.Load
	}
	s.Came = s.Came*fade + min(max(late, 1), 10)/window
	s.Planned = s.Planned*fade + s.Load*(1-fade)
	most := 2.0
	if h.Recall() > 0 {
		most = 50 // most looks may come because the site told of a change
	}
	return min(max(s.Came/max(s.Planned, 1e-9), 0.8), most)
}

// Recount updates State.Load, State.Pages and State.ByInterval when a page's plan changes from
// before to after looks a day; 0 = no plan.
func (h Host) Recount(before, after float64) {
	s := h.State
	s.Load = max(s.Load+after-before, 0)
	if before > 0 {
		s.Pages--
	}
	if after > 0 {
		s.Pages++
	}
	regroup(s, before, after)
	if s.Pages <= 0 {
		s.Pages, s.Load, s.ByInterval = 0, 0, nil
	}
}
