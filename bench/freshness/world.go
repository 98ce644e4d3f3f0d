package main

import (
	"math"
	"math/rand/v2"
)

// model holds the parameters of a made-up web.
type model struct {
	Hosts, Pages int
	Days, From   float64 // simulated days, and from which on is measured
	Still        float64 // part of the pages that never change
	Sigma        float64 // of the logarithm of a page's rate; of hosts' medians it is 1
	Median       float64 // changes a day
	Fastest      float64 // changes a day at most
	Turnover     float64 // part of the pages that is replaced by new ones each day
	Pareto       bool    // weights: Pareto(1.2) cut at 1,000; else 1
	Restless     float64 // part of the pages that change at every fetch
	Daily        float64 // part of the pages that change every 24 hours exactly
	Honest       float64 // part of the changes that the site tells of
	Lies         float64 // changes a page and day that it tells of and that are none
	Kinds        int     // of pages a host; half of the variance of the rates lies between them; 0 = one
}

func defaultModel() model {
	return model{Hosts: 5, Pages: 500, Days: 300, From: 150, Still: .4, Sigma: 1.8, Median: 1.0 / 7, Fastest: 24, Turnover: .005}
}

// page is a page as it is, and what was counted of it.
type page struct {
	host   *host
	index  int
	rate   float64 // changes a day
	weight float64
	kind   kind
	sort   int // which of the host's kinds of pages it is, as its address shows

	fetched float64 // day
	change  float64 // the first change after that
	text    uint64  // rises with every change that was seen
	born    int     // how often the page was replaced

	nature, events *rand.Rand // what the page is each time it is replaced, and when it changes
}

type kind uint8

const (
	poisson kind = iota
	restless
	daily
)

// sort is a kind of pages: how often they change (a factor), and what part of them never does.
type sort struct{ factor, still float64 }

// host is a host with its pages.
type host struct {
	model  *model
	seed   uint64
	number uint64
	rand   *rand.Rand
	median float64
	kinds  []sort
	pages  []*page
	budget float64 // fetches a day
}

func newHost(m *model, seed, number uint64, x float64) *host {
	h := &host{model: m, seed: seed, number: number, rand: rand.New(rand.NewPCG(seed, number))}
	h.median = m.Median * math.Exp(h.rand.NormFloat64())
	for range m.Kinds {
		still := m.Still * 2 * h.rand.Float64()
		h.kinds = append(h.kinds, sort{math.Exp(m.Sigma * math.Sqrt(.5) * h.rand.NormFloat64()), still})
	}
	sum := 0.0
	for i := range m.Pages {
		p := &page{host: h, index: i, weight: 1, nature: stream(seed, number, i, 1), events: stream(seed, number, i, 2)}
		if m.Kinds > 0 {
			p.sort = i % m.Kinds
		}
		if m.Pareto {
			p.weight = min(math.Pow(1-h.rand.Float64(), -1/1.2), 1000)
		}
		h.pages = append(h.pages, p)
		p.renew(0)
		sum += p.changes()
	}
	h.budget = x * sum
	return h
}

// changes is how often a day the page changes, as far as the budget counts it.
func (p *page) changes() float64 {
	if p.kind == restless {
		return 0
	}
	return p.rate
}

// stream is a stream of random numbers of its own for a purpose of a page. So every rule meets the
// same pages, whatever it fetches.
func stream(seed, number uint64, page, purpose int) *rand.Rand {
	return rand.New(rand.NewPCG(seed<<32|number, uint64(page)<<8|uint64(purpose)))
}

// renew makes another page of a page, which is fetched at once.
func (p *page) renew(now float64) {
	p.draw()
	p.fetch(now)
}

// draw decides what the page is.
func (p *page) draw() {
	m, r := p.host.model, p.nature
	p.rate = 0
	factor, still, sigma := 1.0, m.Still, m.Sigma
	if m.Kinds > 0 {
		factor, still, sigma = p.host.kinds[p.sort].factor, p.host.kinds[p.sort].still, m.Sigma*math.Sqrt(.5)
	}
	if r.Float64() >= still {
		p.rate = min(p.host.median*factor*math.Exp(sigma*r.NormFloat64()), m.Fastest)
	}
	p.kind = poisson
	switch u := r.Float64(); {
	case u < m.Restless: // its rate is not in the budget
		p.kind, p.rate = restless, m.Fastest
	case u < m.Restless+m.Daily:
		p.kind, p.rate = daily, 1
	}
	p.born++
}

// fetch makes what is known of a page current; it reports whether it had changed.
func (p *page) fetch(now float64) bool {
	changed := p.change < now && p.fetched < now
	if changed {
		p.text++
	}
	p.fetched = now
	switch {
	case p.kind == restless:
		p.change = now + 1e-9
	case p.kind == daily:
		phase := float64(p.index) / float64(len(p.host.pages))
		p.change = math.Floor(now-phase) + 1 + phase
	case p.rate == 0:
		p.change = math.Inf(1)
	default:
		p.change = now + p.events.ExpFloat64()/p.rate
	}
	return changed
}

// tally holds the sums that a simulation measures.
type tally struct {
	fresh, all float64 // weighted page-days: current, and in all
	age        float64 // weighted page-days times days stale, each spell cut at 30 days
	fetches    float64
	slots      float64
	wrong      float64 // fetches of restless pages
	days       []share // by day, for cold starts
}

// share is a part of a sum.
type share struct{ fresh, all, fetches float64 }

// byDay adds a spell to the days that it covers.
func (t *tally) byDay(from, until, change, weight float64) {
	for d := int(from); d < len(t.days) && float64(d) < until; d++ {
		a, b := max(from, float64(d)), min(until, float64(d+1))
		t.days[d].all += weight * (b - a)
		t.days[d].fresh += weight * max(min(change, b)-a, 0)
	}
}

// count adds what a page was from its last fetch until now.
func (t *tally) count(p *page, now, from float64) {
	start := max(p.fetched, from)
	if now <= start {
		return
	}
	t.byDay(start, now, p.change, p.weight)
	t.all += p.weight * (now - start)
	t.fresh += p.weight * max(min(p.change, now)-start, 0)
	if p.change < now {
		until := min(now-p.change, 30)
		begin := min(max(start-p.change, 0), 30)
		t.age += p.weight * (until*until - begin*begin) / 2
	}
}
