package freshness

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"millrace/schema"
)

// After many looks at irregular times the filter has the rate of the page, whatever
// the prior was.
func TestTheRateIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, rate := range []float64{0.02, 0.3, 2} {
		for _, prior := range []float64{0.01, 1, 20} {
			f, last := Prior(prior), 0.0
			for at := 0.0; at < 4000/rate/10; {
				at += (0.2 + 2*r.Float64()) / rate
				if r.Float64() < -math.Expm1(-rate*(at-last)) {
					f = f.Changed(at - last)
				} else {
					f = f.Unchanged(at - last)
				}
				last = at
			}
			if got := f.Rate(); got < rate/1.7 || got > rate*1.7 {
				t.Errorf("rate %g, first taken for %g: found %g", rate, prior, got)
			}
		}
	}
}

// The value of a look and the mean of being current agree with the sums that they
// stand for.
func TestClosedFormsEqualTheirSums(t *testing.T) {
	for _, f := range []Filter{{0.3, 0.1}, {1, 5}, {3, 2}, {40, 1000}} {
		for _, pause := range []float64{0.01, 1, 30} {
			const steps = 100_000
			sum := 0.0
			for i := range steps {
				sum += f.Current(pause*(float64(i)+.5)/steps) / steps
			}
			if got := f.MeanCurrent(pause); math.Abs(got-sum) > 1e-4 {
				t.Errorf("%v over %g days: current %g, sum %g", f, pause, got, sum)
			}
			if got, want := f.Value(pause), (sum-f.Current(pause))*pause; math.Abs(got-want) > 1e-3*want+1e-9 {
				t.Errorf("%v after %g days: value %g, want %g", f, pause, got, want)
			}
		}
	}
}

// Pause is the inverse of Value, and never where no look is worth the price.
func TestPauseIsWhereTheValueIsThePrice(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		f := filter(math.Exp(4*r.NormFloat64()), math.Exp(4*r.NormFloat64()))
		price := math.Exp(3 * r.NormFloat64())
		pause := f.Pause(price, 0)
		switch v := f.Value(pause); {
		case math.IsNaN(pause) || pause <= 0:
			t.Fatalf("%v at %g: pause %g", f, price, pause)
		case pause >= longest*0.99:
			if f.Value(longest) > price*1.01 {
				t.Errorf("%v at %g: never, and a look is worth %g", f, price, f.Value(longest))
			}
		case pause > 2*leastDays && math.Abs(v-price) > 0.01*price:
			t.Errorf("%v at %g: pause %g has the value %g", f, price, pause, v)
		}
	}
}

// While a site that tells of most of its changes is silent, the pause is the best of its
// neighbours: what is gained a day, the time for which the page is current less the price of a
// look, is most.
func TestThePauseOfASilentSiteIsTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		f := filter(1+3*r.Float64(), math.Exp(2*r.NormFloat64()))
		recall := .95 * r.Float64()
		price := .5 * r.Float64() * f.sum(longest)
		gain := func(t float64) float64 { return (f.sum(t) - price) / (recall*f.sum(t) + (1-recall)*t) }
		pause := f.Pause(price, recall)
		if pause > longest/2 {
			continue
		}
		if best := gain(pause); gain(1.1*pause) > best+1e-9 || gain(pause/1.1) > best+1e-9 {
			t.Errorf("%v at %g, recall %g: %g days gain %g; a tenth more %g, less %g", f, price, recall, pause, best, gain(1.1*pause), gain(pause/1.1))
		}
	}
}

// A site whose dates are true, and tell of nearly every change, makes pauses longer; one that lies
// does not.
func TestTrueDatesMakePausesLonger(t *testing.T) {
	l := Limits{Every: 24 * time.Hour, Least: time.Hour, Most: 30 * 24 * time.Hour}
	pause := func(told func(i int) bool, changed func(i int) bool) float64 {
		h := Host{State: &schema.HostFreshness{Pages: 100, Load: 100}}
		for i := range 400 {
			h.Observe(l, Filter{2, 10}, Look{Days: 1, Changed: changed(i), Told: told(i), At: int64(i+1) * 1e6})
		}
		h.State.LogPrice = 0
		return h.Plan(l, Filter{2, 10}, 1)
	}
	some := func(i int) bool { return i%6 == 0 } // as the filter expects
	always := func(int) bool { return true }
	never := func(int) bool { return false }
	plain, honest, lies := pause(never, some), pause(some, some), pause(always, some)
	if honest < 1.5*plain || lies > 1.1*plain {
		t.Errorf("pauses of %.1f days without dates, %.1f with true ones, %.1f with dates that say nothing", plain, honest, lies)
	}
}

// A page that changes faster than a look can help is looked at less than one that
// changes now and then, and still at least every Longest.
func TestVeryFastPagesGetLess(t *testing.T) {
	h := Host{State: &schema.HostFreshness{Pages: 100, Load: 100, PricedAt: 1, LogPrice: math.Log(0.3)}}
	l := Limits{Every: 24 * time.Hour, Least: time.Hour, Most: 30 * 24 * time.Hour}
	fast, medium, still := h.Plan(l, Filter{40, 1}, 1), h.Plan(l, Filter{10, 10}, 1), h.Plan(l, Filter{.35, 400}, 1)
	if !(medium < fast && medium < still) || fast > h.Longest(l) || still > h.Longest(l) {
		t.Errorf("pauses %g (fast), %g, %g (still), longest %g", fast, medium, still, h.Longest(l))
	}
}

// A budget of a minute has a price of its own: the page that is expected of the host has the
// budget's pause, also on a host whose pages hardly change.
func TestThePriceOfALargeBudgetIsItsOwn(t *testing.T) {
	l := Limits{Every: time.Minute, Least: time.Minute, Most: 30 * 24 * time.Hour}
	for _, rate := range []float64{1e-3, 1.0 / 7, 10} {
		h := Host{State: &schema.HostFreshness{Pages: 100, RateSum: rate * 1e6, RateWeight: 1e6}}
		if got, want := h.Prior().Pause(h.Price(l), 0), h.average(l); math.Abs(got/want-1) > .01 {
			t.Errorf("%g changes a day: a pause of %g days, the budget has %g", rate, got, want)
		}
	}
}

// A damaged row still gives a pause within the limits.
func TestDamagedStateIsReplaced(t *testing.T) {
	l := Limits{Every: 24 * time.Hour, Least: time.Hour, Most: 30 * 24 * time.Hour, Share: .25, Delay: time.Second}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1e300, 1e300} {
		h := Host{State: &schema.HostFreshness{Pages: 3, Load: bad, LogPrice: bad, PricedAt: 5, RateSum: bad, RateWeight: bad,
			Looks: 9, Told: bad, Hits: bad, Expected: bad, Came: bad, Planned: bad}}
		f := h.Observe(l, Filter{float32(bad), float32(bad)}, Look{Days: 1, Planned: 1, Told: true, Changed: true, At: 1e12})
		if p := h.Plan(l, f, 1); !(p >= days(l.Least) && p <= 366) {
			t.Errorf("%g: pause %g after %v, price %g", bad, p, f, h.Price(l))
		}
	}
}

// False dates are checked a few times and then ignored; true ones
// are believed.
func TestDatesAreBelievedAsFarAsTheyProvedTrue(t *testing.T) {
	for _, c := range []struct {
		name    string
		changed func(i int) bool
		least   float64
		most    float64
	}{
		{"lies", func(int) bool { return false }, 0, 0.01},
		{"true", func(int) bool { return true }, 0.9, 1},
		{"half true", func(i int) bool { return i%2 == 0 }, 0.3, 0.6},
	} {
		l := Limits{Every: 24 * time.Hour, Least: time.Hour, Most: 30 * 24 * time.Hour}
		h := Host{State: &schema.HostFreshness{Pages: 100, Load: 100}}
		for i := range 200 {
			h.Observe(l, Filter{.35, 10}, Look{Days: .5, Changed: c.changed(i), Told: true, At: int64(i+1) * 1e6})
		}
		if q := h.Trust(); q < c.least || q > c.most {
			t.Errorf("%s: trusted with %g", c.name, q)
		}
	}
}
