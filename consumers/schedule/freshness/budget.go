package freshness

import "math"

// Page is a page of a host; N is how many pages it stands for in a sample.
type Page struct {
	Filter Filter
	N      float64
}

// Buys returns the share of the time for which the pages of a host are expected to be current in
// the long run, if they are looked at by the best plan with share times the budget of the limits.
// It finds the price by bisection.
func (h Host) Buys(l Limits, pages []Page, share float64) float64 {
	all := 0.0
	for _, p := range pages {
		all += p.N
	}
	if all == 0 || share <= 0 {
		return 0
	}
	budget := share * h.Budget(l) / h.pages() * all
	pause := func(f Filter, price float64) float64 {
		t := max(f.Pause(price), f.soonest(), days(l.Least))
		return min(t, max(days(l.Most), min(spread*h.average(l)/share, 366)))
	}
	low, high := math.Log(cheapest), math.Log(dearest)
	for range 14 {
		price, load := (low+high)/2, 0.0
		for _, p := range pages {
			load += p.N / pause(p.Filter, math.Exp(price))
		}
		if load > budget {
			low = price
		} else {
			high = price
		}
	}
	fresh := 0.0
	for _, p := range pages {
		fresh += p.N * p.Filter.MeanCurrent(pause(p.Filter, math.Exp(high)))
	}
	return fresh / all
}
