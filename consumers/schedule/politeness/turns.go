package politeness

import "math/bits"

// Turns chooses the class of a host's next URL. The zero value is ready to use.
type Turns struct {
	ahead  int8 // by how many turns other classes are ahead of waiting new pages
	urgent int8 // turns of urgent URLs in a row; turns of new pages in between do not count
	retry  bool // the last turn of retries and re-crawls was a retry's
	known  int8 // turns of class 3 in a row while class 6 waited
}

// Sets of classes, one bit each (package policy names the classes). New classes are URLs that were
// never fetched.
const (
	feedClasses    = 1 << 4 // of re-crawls: feeds, sitemaps, hubs
	retryClasses   = 1 << 1
	knownClasses   = 1 << 3
	unknownClasses = 1 << 6
	newClasses     = 1<<2 | knownClasses | unknownClasses | 1<<7
	recrawlClasses = feedClasses | 1<<5

	urgentAhead = 8 // most turns that other classes may be ahead of new pages
	urgentRun   = 3 // turns of urgent URLs for one turn of a retry or re-crawl
	knownRun    = 3 // turns of class 3 (shapes known to be good) for one of class 6 (unknown shapes)
)

// Sets of classes for the turns of a lane.
const (
	AllClasses      = 1<<8 - 1
	UrgentClasses   = 1 << 0
	PressingClasses = UrgentClasses | feedClasses // what goes on while the reader is behind
)

// NoClass means that there is nothing to send.
const NoClass = 8

// Next returns the class of the next turn among those that have URLs (bit c of has: class c), or
// NoClass.
func (t *Turns) Next(has uint8) int {
	others := has & (retryClasses | recrawlClasses)
	switch {
	case has&newClasses != 0 && t.ahead >= urgentAhead:
		return t.newPage(has & newClasses)
	case has&UrgentClasses != 0 && (others == 0 || t.urgent < urgentRun):
		return 0
	case has&newClasses != 0 && t.ahead >= 1 && has&UrgentClasses == 0:
		return t.newPage(has & newClasses)
	case others == 0:
		return t.newPage(has & newClasses)
	case others&retryClasses != 0 && (!t.retry || others&recrawlClasses == 0):
		return 1
	}
	return lowest(others &^ retryClasses)
}

// newPage returns the class of the next new page: the lowest one; but while class 3 is the lowest,
// every fourth turn goes to class 6. Class 7, where the URLs of strangers are, has no such turns.
func (t *Turns) newPage(has uint8) int {
	if t.known == knownRun && tries(has) {
		return lowest(has & unknownClasses)
	}
	return lowest(has)
}

// tries reports whether class 3 is the best that waits, and class 6 waits too.
func tries(has uint8) bool {
	return lowest(has&newClasses) == lowest(knownClasses) && has&unknownClasses != 0
}

// Took notes that a URL of a class was sent while the classes in has waited.
func (t *Turns) Took(class int, has uint8) {
	set := uint8(1) << class
	switch {
	case set&newClasses != 0:
		if t.known = min(t.known+1, knownRun); set&knownClasses == 0 || !tries(has) {
			t.known = 0
		}
		t.ahead = max(t.ahead-1, 0)
		return
	case set&UrgentClasses != 0:
		t.urgent = min(t.urgent+1, urgentRun)
	default:
		t.urgent, t.retry = 0, set&retryClasses != 0
	}
	if t.ahead = min(t.ahead+1, urgentAhead); has&newClasses == 0 {
		t.ahead = 0
	}
}

func lowest(set uint8) int { return min(bits.TrailingZeros8(set), NoClass) }
