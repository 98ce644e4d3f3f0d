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
	recall := h.Recall()
	// cycle returns the mean time between two looks, and for how much of it the page is current: a
	// look comes at the pause, or before if the site tells of a change.
	cycle := func(f Filter, price float64) (current, length float64) {
		t := max(f.Pause(price, recall), f.soonest(), days(l.Least))
		t = min(t, max(days(l.Most), min(spread*h.average(l)/share, 366)))
		current = f.sum(t)
		return current, recall*current + (1-recall)*t
	}
	low, high := math.Log(cheapest), math.Log(dearest)
	for range 15 {
		price, load := (low+high)/2, 0.0
		for _, p := range pages {
			_, length := cycle(p.Filter, math.Exp(price))
			load += p.N / length
		}
		if load > budget {
			low = price
		} else {
			high = price
		}
	}
	fresh := 0.0
	for _, p := range pages {
		current, length := cycle(p.Filter, math.Exp(high))
		fresh += p.N * current / length
	}
	return fresh / all
}
