package freshness

import "millrace/schema"

// Look is the result of a look at a page.
type Look struct {
	Days    float64 // since the last one
	Planned float64 // the planned pause; 0 = unknown
	Changed bool
	Told    bool // the site had said that the page has changed
	First   bool // the first look since the page was found
	At      int64
}

// Start values for the dates that a site tells.
const (
	firstRecall = 0.5  // assumed share of its changes that a site tells of,
	recallCount = 5    // and how many changes that counts as
	mostRecall  = 0.98 // no site is believed to tell of more
	forget      = 0.98 // factor on what is known of a site's dates, at each new one
	enoughTold  = 8    // dates that were checked before any is believed
	leastTrust  = 0.1  // below it dates are ignored
	trials      = 16   // looks that unproven dates may cause, and
	trialsShare = 0.05 // this part of all looks
)

// Observe takes in a look. It returns the page's new filter, moves the host's price, and counts
// whether the date that the site told was true.
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
		f = f.Signalled(look.Days, h.Recall())
	default:
		f = f.Unsignalled(look.Days, h.Recall())
	}
	if look.Changed && believed {
		learnRecall(h.State, look.Told, h.Trust())
	}
	if look.First {
		h.learnRate(f.Rate())
	}
	h.State.Looks++
	return f
}

// late is the real pause divided by the planned one; 1 if it is at most a quarter longer.
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

// Trust is the probability that a page has changed because its site says so, beyond what was to be
// expected anyway (excess precision); 0 while too little is known.
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

// learnRecall takes in a change of a site whose dates are believed. Of those that it had told of,
// only the part counts that it did not tell of by chance.
func learnRecall(s *schema.HostFreshness, told bool, trust float64) {
	s.Changed, s.Announced = s.Changed*(1-1./memory)+1, s.Announced*(1-1./memory)
	if told {
		s.Announced += trust
	}
}

// Recall is the share of its changes that the site tells of; 0 while its dates are not believed.
func (h Host) Recall() float64 {
	if h.Trust() < leastTrust {
		return 0
	}
	s := h.State
	return min((s.Announced+firstRecall*recallCount)/(s.Changed+recallCount), mostRecall)
}

// Try reports whether a date of a site whose dates are not checked enough may cause a look. It
// counts that look.
func (h Host) Try() bool {
	s := h.State
	if s.Told >= enoughTold || float64(s.Acted) >= trials+trialsShare*float64(s.Looks) {
		return false
	}
	s.Acted++
	return true
}

// Told returns the pause (days, from the last look) before the next look at a page that its site
// says has changed. planned is the pause without that. A look is due when the page is as probably
// out of date as it would be at the planned time if the site stayed silent.
func (h Host) Told(l Limits, f Filter, planned float64) float64 {
	q := h.Trust()
	if q < leastTrust {
		return planned
	}
	if !f.Known() {
		f = h.Prior()
	}
	current := f.Silent(planned, h.Recall()) / (1 - q)
	if current >= 1 {
		return 0
	}
	return min(f.after(current), planned)
}
