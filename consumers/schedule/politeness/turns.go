package politeness

import "math/bits"

// Turns chooses the class of a host's next URL. The zero value is ready to use.
type Turns struct {
	ahead  int8 // turns that other classes had more than new pages while these waited
	urgent int8 // turns of urgent URLs in a row, those of new pages not counted
	retry  bool // the last turn of the others was a retry's
	known  int8 // turns of pages of known shapes in a row, while unknown ones waited
}

// Classes as sets of bits. Never fetched: seeds and feeds first, then links.
const (
	urgentClasses  = 1 << 0
	retryClasses   = 1 << 1
	knownClasses   = 1 << 3
	unknownClasses = 1 << 6
	newClasses     = 1<<2 | knownClasses | unknownClasses | 1<<7
	recrawlClasses = 1<<4 | 1<<5

	urgentAhead = 8 // turns that urgent URLs may have more than new pages
	urgentRun   = 3 // turns of urgent URLs for one of a retry or re-crawl
	knownRun    = 3 // turns of pages of shapes known to be good, for one that nothing is known of
)

// NoClass is no class at all.
const NoClass = 8

// Next returns the class of the next turn, among those with something to do (bit c
// of has: class c), or NoClass.
func (t *Turns) Next(has uint8) int {
	others := has & (retryClasses | recrawlClasses)
	switch {
	case has&newClasses != 0 && t.ahead >= urgentAhead:
		return t.newPage(has & newClasses)
	case has&urgentClasses != 0 && (others == 0 || t.urgent < urgentRun):
		return 0
	case has&newClasses != 0 && t.ahead >= 1 && has&urgentClasses == 0:
		return t.newPage(has & newClasses)
	case others == 0:
		return t.newPage(has & newClasses)
	case others&retryClasses != 0 && (!t.retry || others&recrawlClasses == 0):
		return 1
	}
	return lowest(others &^ retryClasses)
}

// newPage is the best class of new pages. While the best there are is pages of shapes known to be
// good, every fourth turn is for a page that nothing is known of; seeds and feeds before them give
// nothing away, and the last class, where a stranger's URLs are, is given nothing.
func (t *Turns) newPage(has uint8) int {
	if t.known == knownRun && tries(has) {
		return lowest(has & unknownClasses)
	}
	return lowest(has)
}

// tries reports whether known shapes are the best that waits, and unknown ones wait too.
func tries(has uint8) bool {
	return lowest(has&newClasses) == lowest(knownClasses) && has&unknownClasses != 0
}

// Took notes that a URL of a class was sent, and what else there was.
func (t *Turns) Took(class int, has uint8) {
	set := uint8(1) << class
	switch {
	case set&newClasses != 0:
		if t.known = min(t.known+1, knownRun); set&knownClasses == 0 || !tries(has) {
			t.known = 0
		}
		t.ahead = max(t.ahead-1, 0)
		return
	case set&urgentClasses != 0:
		t.urgent = min(t.urgent+1, urgentRun)
	default:
		t.urgent, t.retry = 0, set&retryClasses != 0
	}
	if t.ahead = min(t.ahead+1, urgentAhead); has&newClasses == 0 {
		t.ahead = 0
	}
}

func lowest(set uint8) int { return min(bits.TrailingZeros8(set), NoClass) }
