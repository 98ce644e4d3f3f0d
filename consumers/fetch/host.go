package fetch

import (
	"cmp"
	"container/list"
	"net/netip"
	"slices"
	"sync"
	"time"

	"millrace/consumers/fetch/robots"
	"millrace/consumers/fetch/web"
	"millrace/consumers/fetch/workbench"
	"millrace/schema"
)

// maxAuthorities bounds the robots.txt files kept for a key: a key that is a site may have
// thousands of hosts. The latest stay.
const maxAuthorities = 64

// host is what is known of a politeness key: its row of table polite in memory.
//
// It is large because its row and what is only in memory stand under one lock.
type host struct {
	id   hostID
	held int           // records that need it; under hosts.mu
	idle *list.Element // its place among those nobody needs
	size int64

	mu       sync.Mutex
	at       int64 // timestamp of the last write of its row
	blocked  time.Time
	failures int32      // in a row
	address  netip.Addr // that its requests go to
	pace     workbench.Pace
	suspect  string                 // the URL of the first server error since the last answer without one
	files    map[string]*robotsFile // by authority

	wanted        time.Duration // the longest delay that operators want for a host of the key
	wantedVersion int64
}

// robotsFile is a robots.txt, or what came in its place.
type robotsFile struct {
	state   schema.HostNotice_Robots
	rules   *robots.Rules // the last good copy; nil if there never was one
	asked   time.Time
	expires time.Time // when it is asked for again
	good    time.Time // when rules was read
	status  int32

	// A redirect that leads to the same key waits for the key's delay: where to go on. Not durable.
	next string
	hops int
}

// ruling is what robots.txt says about a path now.
type ruling uint8

const (
	unknown ruling = iota // robots.txt must be asked for first
	allowed
	forbidden
	unreachable // forbidden until robots.txt can be read
)

// rule looks a path up. An unreachable robots.txt forbids everything, unless the last good copy is
// not too old: then that holds.
func (h *host) rule(authority, path string, now time.Time, good time.Duration) (ruling, time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.files[authority]
	switch {
	case f == nil || f.next != "" || !now.Before(f.expires):
		return unknown, time.Time{}
	case f.state == schema.HostNotice_ALLOW_ALL:
		return allowed, f.expires
	case f.state == schema.HostNotice_UNREACHABLE && (f.rules == nil || now.Sub(f.good) > good):
		return unreachable, f.expires
	case f.rules.Allowed(path):
		return allowed, f.expires
	}
	return forbidden, f.expires
}

// step returns the URL to ask for robots.txt next, and how many redirects led there.
func (h *host) step(authority string) (url string, hops int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f := h.files[authority]; f != nil && f.next != "" {
		return f.next, f.hops
	}
	return authority + "/robots.txt", 0
}

// redirect remembers that robots.txt is to be looked for elsewhere, after the delay.
func (h *host) redirect(authority, next string, hops int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.file(authority)
	f.next, f.hops = next, hops
}

// settle keeps an answer to robots.txt.
func (h *host) settle(authority string, state schema.HostNotice_Robots, rules *robots.Rules, status int, now, expires time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.file(authority)
	f.state, f.status, f.asked, f.expires, f.next, f.hops = state, int32(status), now, expires, "", 0
	switch state {
	case schema.HostNotice_RULES:
		f.rules, f.good = rules, now
	case schema.HostNotice_ALLOW_ALL:
		f.rules = nil
	}
	h.trim()
}

// retry is the pause before an unreachable robots.txt is asked for again: twice the last one.
func (h *host) retry(authority string, first, most time.Duration) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.files[authority]
	if f == nil || f.state != schema.HostNotice_UNREACHABLE {
		return first
	}
	return min(max(2*f.expires.Sub(f.asked), first), most)
}

func (h *host) file(authority string) *robotsFile {
	f := h.files[authority]
	if f == nil {
		f = &robotsFile{}
		h.files[authority] = f
	}
	return f
}

// trim forgets the files asked for longest ago, above the bound.
func (h *host) trim() {
	for len(h.files) > maxAuthorities {
		oldest := ""
		for a, f := range h.files {
			if oldest == "" || f.asked.Before(h.files[oldest].asked) {
				oldest = a
			}
		}
		delete(h.files, oldest)
	}
}

// delay is the time between two starts: the longest that any robots.txt of the key asks for, within
// the operator's bounds.
func (h *host) delay(least, most time.Duration) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	d := least
	for _, f := range h.files {
		if f.rules != nil {
			d = max(d, min(f.rules.CrawlDelay(), most))
		}
	}
	return d
}

// want notes the delay that operators want for a host of the key, and returns the longest of all
// its hosts.
func (h *host) want(d time.Duration, version int64) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if version != h.wantedVersion {
		h.wanted, h.wantedVersion = 0, version
	}
	h.wanted = max(h.wanted, d)
	return h.wanted
}

// learn notes what a request of the host showed: how fast it is, and which of its addresses
// answers.
func (h *host) learn(p workbench.Pace, at netip.Addr, r *web.Result) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pace = p
	if r.Err == nil || r.Written {
		h.address = at
	}
}

// place is what the bench is told of a host with its first item.
func (h *host) place() (address string, p workbench.Pace) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return addressKey(h.address), h.pace
}

func (h *host) blockedUntil() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.blocked
}

// fail counts a failure in a row and returns the end of the back-off; after is what the server
// asked for, if anything.
func (h *host) fail(now time.Time, after, first, most time.Duration) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures++
	if after == 0 {
		after = doubled(first, most, h.failures)
	}
	if until := now.Add(after); until.After(h.blocked) {
		h.blocked = until
	}
	return h.blocked
}

// doubt notes a server error and reports whether it is the host's: it is if another URL met one
// before, or the host is failing already, and nothing was answered well in between. One URL that
// fails for ever never rests its host.
func (h *host) doubt(rowKey string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failures > 0 || h.suspect != "" && h.suspect != rowKey {
		return true
	}
	h.suspect = rowKey
	return false
}

// recover ends a row of failures; it reports whether there was one.
func (h *host) recover() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	had := h.failures > 0
	h.failures, h.suspect = 0, ""
	return had
}

// row is the durable form. Its timestamp is above that of the last write.
func (h *host) row(now time.Time) *schema.PoliteRow {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = max(h.at+1, now.UnixMicro())
	r := &schema.PoliteRow{At: h.at, BlockedUntil: millis(h.blocked), Failures: h.failures}
	for authority, f := range h.files {
		if f.asked.IsZero() {
			continue
		}
		e := &schema.RobotsRow{
			Authority: authority, State: f.state, HttpStatus: f.status,
			FetchedAt: millis(f.asked), ExpiresAt: millis(f.expires), GoodAt: millis(f.good),
		}
		if f.rules != nil {
			e.Body = f.rules.Encode()
		}
		r.Robots = append(r.Robots, e)
	}
	slices.SortFunc(r.Robots, func(a, b *schema.RobotsRow) int { return cmp.Compare(a.Authority, b.Authority) })
	return r
}

// load fills a new host from its row. A robots.txt that was kept in another form, or for another
// name of ours, is asked for again.
func (h *host) load(r *schema.PoliteRow, agents []string) {
	h.at, h.blocked, h.failures = r.At, instant(r.BlockedUntil), r.Failures
	for _, e := range r.Robots {
		f := &robotsFile{
			state: e.State, status: e.HttpStatus,
			asked: instant(e.FetchedAt), expires: instant(e.ExpiresAt), good: instant(e.GoodAt),
		}
		if len(e.Body) > 0 {
			rules, err := robots.Decode(e.Body, agents...)
			if err != nil {
				continue
			}
			f.rules = rules
			h.size += int64(len(e.Body))
		}
		h.files[e.Authority] = f
	}
}

// bound corrects what a process with a clock far ahead has written: no rest and no robots.txt lasts
// longer than this process would let it.
func (h *host) bound(now time.Time, rest, keep time.Duration) {
	if most := now.Add(rest); h.blocked.After(most) {
		h.blocked = most
	}
	for _, f := range h.files {
		if most := now.Add(keep); f.expires.After(most) {
			f.expires = most
		}
	}
}

// millis and instant keep 0 for "never".
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
