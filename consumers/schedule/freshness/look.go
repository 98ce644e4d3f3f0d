package freshness

import "math"

// Look is what a look at a page showed.
type Look struct {
	Days    float64 // since the last one
	Planned float64 // days that were planned between them; 0 = unknown
	Changed bool
	Told    bool // the site had said that the page has changed
	First   bool // the page was never looked at again before
	At      int64
}

// Start values for dates that a site tells.
const (
	recall      = 0.5  // part of its changes that a site is taken to tell of
	forget      = 0.98 // of what is known of a site's dates, at each of them
	enoughTold  = 8    // dates that were looked into before any is believed
	leastTrust  = 0.1  // below it dates mean nothing
	trials      = 16   // looks that unproven dates may cause,
	trialsShare = 0.05 // and part of all looks
)

// Observe takes in a look: it returns what is known of the page now, moves the
// host's price, and counts whether what the site had told was true.
func (h Host) Observe(l Limits, f Filter, look Look) Filter {
	h.heal()
	if !f.Known() {
		f = h.Prior()
	}
	h.Move(l, look.late(), look.At)
	believed := h.Trust() >= leastTrust
	if look.Told {
		h.learnTrust(1-f.Current(look.Days), look.Changed)
	}
	switch {
	case !look.Changed:
		f = f.Unchanged(look.Days)
	case !believed:
		f = f.Changed(look.Days)
	case look.Told:
		f = f.Signalled(look.Days, recall)
	default:
		f = f.Unsignalled(look.Days, recall)
	}
	if look.First {
		h.learnRate(f.Rate())
	}
	h.State.Looks++
	return f
}

// late is how much more time went by than was planned; 1 = about as much.
func (l Look) late() float64 {
	if l.Planned <= 0 || l.Days <= 1.25*l.Planned {
		return 1
	}
	return l.Days / l.Planned
}

func (h Host) learnTrust(expected float64, changed bool) {
	s := h.State
	s.Told, s.Hits, s.Expected = s.Told*forget+1, s.Hits*forget, s.Expected*forget+expected
	if changed {
		s.Hits++
	}
}

// Trust is the probability that a page has changed because its site says so, beyond
// what would have been expected of it (excess precision); 0 while too little is known.
func (h Host) Trust() float64 {
	s := h.State
	if s.Told < enoughTold {
		return 0
	}
	hits, expected := s.Hits/s.Told, s.Expected/s.Told
	if expected > 0.99 {
		return 0
	}
	return min(max((hits-expected)/(1-expected), 0), 0.99)
}

// Try reports whether a date of a site that is not proved may cause a look, which
// tells whether it is true; it counts the look.
func (h Host) Try() bool {
	s := h.State
	if s.Told >= enoughTold || float64(s.Acted) >= trials+trialsShare*float64(s.Looks) {
		return false
	}
	s.Acted++
	return true
}

// Told is the pause (days) before the next look at a page that its site says has
// changed, from the last look on, in place of the one planned: as if so much time
// had gone by that a change is as probable as the site is trusted.
func (h Host) Told(l Limits, f Filter, planned float64) float64 {
	q := h.Trust()
	if q < leastTrust {
		return planned
	}
	if !f.Known() {
		f = h.Prior()
	}
	ahead := float64(f.B) * math.Expm1(-math.Log1p(-q)/float64(f.A))
	return max(planned-ahead, 0)
}
