package freshness

import "math"

// Filter is the estimate of how often one page changes: its rate of changes a day has a gamma
// distribution with shape A and inverse scale B (days). It takes eight bytes a page. The zero value
// knows nothing: use Prior.
type Filter struct{ A, B float32 }

// Limits of what a filter remembers: evidence of mostShape changes and of mostDays days. So it
// notices when a page's habits change.
const (
	priorShape = 0.2
	mostShape  = 40
	mostDays   = 1000
	leastDays  = 1e-4
)

// Prior is the estimate for a page without a second look, on a host whose pages change rate times a
// day on average.
func Prior(rate float64) Filter {
	rate = min(max(rate, 1e-3), 50)
	return filter(priorShape, priorShape/rate)
}

func filter(a, b float64) Filter {
	if a > mostShape {
		a, b = mostShape, b*mostShape/a
	}
	if b > mostDays {
		a, b = max(a*mostDays/b, min(a, priorShape)), mostDays
	}
	return Filter{float32(max(a, 1e-3)), float32(min(max(b, leastDays), mostDays))}
}

// Known reports whether the filter holds possible values.
func (f Filter) Known() bool { return f.A > 0 && f.B > 0 && f.A <= 2*mostShape && f.B <= 2*mostDays }

// Rate is the expected number of changes a day.
func (f Filter) Rate() float64 { return float64(f.A) / float64(f.B) }

// Unchanged is the filter after a look, days after the last one, that found no change. The update
// is exact (Bayes).
func (f Filter) Unchanged(days float64) Filter {
	return filter(float64(f.A), float64(f.B)+max(days, 0))
}

// Changed is the filter after a look that found a change. The exact result is a mixture; it is
// replaced by the gamma distribution with the same mean and variance. One change or many between
// two looks are the same evidence, so looks may come at any intervals (Cho and Garcia-Molina, ACM
// TOIT 2003, solve the same problem by a corrected count).
func (f Filter) Changed(days float64) Filter {
	a, b := float64(f.A), float64(f.B)
	l := math.Log1p(max(days, leastDays) / b)
	not := func(k float64) float64 { return -math.Expm1(-(a + k) * l) } // 1 - (b/(b+t))^(a+k)
	mean := a / b * not(1) / not(0)
	square := a * (a + 1) / (b * b) * not(2) / not(0)
	variance := square - mean*mean
	if !(variance > 0) || !(mean > 0) {
		return f
	}
	rate := mean / variance
	return filter(mean*rate, rate)
}

// Signalled is the filter after a look that found a change of which the site had told. recall is
// the share of its changes of which the site tells.
func (f Filter) Signalled(days, recall float64) Filter {
	return filter(float64(f.A)+1, float64(f.B)+recall*max(days, 0))
}

// Unsignalled is the filter after a look that found a change of which the site had not told.
func (f Filter) Unsignalled(days, recall float64) Filter {
	g := f.Changed((1 - recall) * days)
	return filter(float64(g.A), float64(g.B)+recall*max(days, 0))
}

// Current is the probability that the page has not changed for that many days.
func (f Filter) Current(days float64) float64 {
	return math.Exp(-float64(f.A) * math.Log1p(max(days, 0)/float64(f.B)))
}

// MeanCurrent is the mean of Current over a pause between two looks.
func (f Filter) MeanCurrent(pause float64) float64 {
	if pause <= 0 {
		return 1
	}
	return f.sum(pause) / pause
}

// sum is the integral of Current from 0 to t.
func (f Filter) sum(t float64) float64 {
	a, b := float64(f.A), float64(f.B)
	l := math.Log1p(t / b)
	if math.Abs(1-a) < 1e-6 {
		return b * l
	}
	return b / (1 - a) * math.Expm1((1-a)*l)
}

// Value is the worth of a look so many days after the last one: the time (days) for which the page
// is expected to be current because of this look. It rises with the pause. With the best pauses all
// pages of a host have the same value when they are looked at (Cho and Garcia-Molina 2003; Azar,
// Horvitz, Lubetzky, Peres and Shahaf, PNAS 2018). The rate is uncertain, so Value is the
// expectation over the filter, in closed form.
func (f Filter) Value(days float64) float64 {
	if days <= 0 {
		return 0
	}
	return f.sum(days) - days*f.Current(days)
}

// Silent is the probability that the page has not changed for that many days, if its site, which
// tells of the share recall of its changes, has not told of one.
func (f Filter) Silent(days, recall float64) float64 {
	current := f.Current(days)
	return current / (1 - recall + recall*current)
}

// longest is the pause (days) that means never.
const longest = 1e5

// Pause is how long (days) to wait until a look is worth price, in days for which one page is
// current, while the site, which tells of the share recall of its changes, does not tell of one. It
// returns longest for a page that changes so fast that no look is worth the price.
//
// Silence lowers the worth of a look to (1-recall) / (1-recall+recall*Current) of Value; with a
// recall of 1 no look is due until the site tells. It follows from renewal: a cycle ends at the
// pause t or at a change of which the site tells. With F the mean time for which the page is
// current in a cycle, and C its mean length, the best t has price = F - C F'/C' (Kolobov, Peres, Lu
// and Horvitz, NeurIPS 2019, treat the same problem).
func (f Filter) Pause(price, recall float64) float64 {
	if price <= 0 {
		return 0
	}
	a, b := float64(f.A), float64(f.B)
	if a > 1 && price >= b/(a-1) { // more than a look can ever be worth
		return longest
	}
	low, high := leastDays, float64(longest)
	t := math.Sqrt(2 * price * b / a)
	for range 40 {
		if t <= low || t >= high || math.IsNaN(t) {
			t = math.Sqrt(low * high)
		}
		still := f.Current(t)
		silence := (1 - recall) / (1 - recall + recall*still)
		value := f.sum(t) - t*still
		v := value * silence
		switch {
		case math.Abs(v-price) < 1e-6*price:
			return t
		case v < price:
			low = t
		default:
			high = t
		}
		if high/low < 1+1e-6 {
			break
		}
		hazard := a / (b + t) * still
		slope := hazard * (t*silence + value*recall*silence/(1-recall+recall*still))
		t *= math.Exp(min(max((price-v)/(slope*t), -2), 2)) // Newton's step, in log t
	}
	return t
}

// worthwhile is the least probability of a change for which a page is fetched at all.
const worthwhile = 0.01

// soonest is the pause (days) after which a change has that probability.
func (f Filter) soonest() float64 { return f.after(1 - worthwhile) }

// after is the pause (days) after which the page is current with that probability.
func (f Filter) after(current float64) float64 {
	return float64(f.B) * math.Expm1(-math.Log(max(current, 1e-300))/float64(f.A))
}
