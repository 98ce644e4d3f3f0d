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

// maxAuthorities is how many robots.txt files are kept for a key: a key that is a site may have
// thousands of hosts. The latest ones are kept.
const maxAuthorities = 64

// host is the state of a politeness key: its row of the table polite, and the part that is only in
// memory.
//
// It is large because both are under one lock.
type host struct {
	id   hostID
	held int           // number of records that use it; guarded by hosts.mu
	idle *list.Element // its place among the unused ones
	size int64

	mu       sync.Mutex
	at       int64 // timestamp of the last write of its row
	blocked  time.Time
	failures int32      // in a row
	address  netip.Addr // to which its last request went
	pace     workbench.Pace
	suspect  string                 // row key of the first server error since the last good answer
	files    map[string]*robotsFile // by authority

	doors int // chains through doors in a row that led nowhere

	wanted        time.Duration // the longest delay that rules set for a host of the key
	wantedVersion int64
}

// robotsFile is the answer to a request for a robots.txt.
type robotsFile struct {
	state   schema.HostNotice_Robots
	rules   *robots.Rules // the last good copy; nil if there never was one
	asked   time.Time
	expires time.Time // when it must be requested again
	good    time.Time // when rules were read
	status  int32
	after   int64 // ms: who asks for one that was read after this time, or an earlier one, has it

	// The target of a redirect within the key, which waits for the key's delay. Not stored.
	next string
	hops int
}

// ruling is the verdict of robots.txt about a path.
type ruling uint8

const (
	unknown ruling = iota // robots.txt must be requested first
	allowed
	forbidden
	unreachable // forbidden until robots.txt can be read
)

// rule returns what robots.txt says of a path, and when it expires. An unreachable robots.txt
// forbids everything, unless the last good copy is younger than good: then that copy decides. One
// that was asked for before after (ms) is unknown.
func (h *host) rule(authority, path string, now time.Time, good time.Duration, after int64) (ruling, time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.files[authority]
	switch {
	case f == nil || f.next != "" || !now.Before(f.expires) || f.after < after:
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

// step returns the URL to request for robots.txt next, and the number of redirects before it.
func (h *host) step(authority string) (url string, hops int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f := h.files[authority]; f != nil && f.next != "" {
		return f.next, f.hops
	}
	return authority + "/robots.txt", 0
}

// redirect stores the target of a redirect of robots.txt.
func (h *host) redirect(authority, next string, hops int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.file(authority)
	f.next, f.hops = next, hops
}

// settle stores the answer for robots.txt, which was asked for because one older than after (ms)
// would not do. It is newer than that whatever the clock says: clocks of processes differ.
func (h *host) settle(authority string, state schema.HostNotice_Robots, rules *robots.Rules, status int, now, expires time.Time, after int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.file(authority)
	f.state, f.status, f.asked, f.expires, f.next, f.hops = state, int32(status), now, expires, "", 0
	f.after = max(f.after, after)
	switch state {
	case schema.HostNotice_RULES:
		f.rules, f.good = rules, now
	case schema.HostNotice_ALLOW_ALL:
		f.rules = nil
	}
	h.trim()
}

// retry is the pause before an unreachable robots.txt is requested again: twice the last one.
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

// trim drops the files that were requested longest ago, above maxAuthorities.
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

// delay is the time between two starts: the longest that any robots.txt of the key asks for, but at
// least least; a robots.txt counts up to most.
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

// want notes the delay that rules set for a host of the key, and returns the longest of all its
// hosts.
func (h *host) want(d time.Duration, version int64) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if version != h.wantedVersion {
		h.wanted, h.wantedVersion = 0, version
	}
	h.wanted = max(h.wanted, d)
	return h.wanted
}

// learn notes what a request showed: the pace of the host, and which of its addresses answers.
func (h *host) learn(p workbench.Pace, at netip.Addr, r *web.Result) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pace = p
	if r.Err == nil || r.Written {
		h.address = at
	}
}

// place returns the address and pace of the host for the bench.
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

// patientWith is how many failures in a row end when the server said so. A server that fails more
// often, and asks each time for a second of rest, is left alone for longer.
const patientWith = 3

// fail counts a failure in a row and returns the end of the block. after is the pause that the
// server asked for; 0 = the back-off. From the fourth failure on the back-off counts beside it.
func (h *host) fail(now time.Time, after, first, most time.Duration) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures++
	switch {
	case after == 0:
		after = doubled(first, most, h.failures)
	case h.failures > patientWith:
		after = max(after, doubled(first, most, h.failures-patientWith))
	}
	if until := now.Add(after); until.After(h.blocked) {
		h.blocked = until
	}
	return h.blocked
}

// doubt notes a server error, or an answer without end, and reports whether the host is to be
// blocked: if the host is failing already, or another URL met one, with no good answer in between.
// One URL that always fails never blocks its host.
func (h *host) doubt(rowKey string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failures > 0 || h.suspect != "" && h.suspect != rowKey {
		return true
	}
	h.suspect = rowKey
	return false
}

// recover ends a series of failures and reports whether there was one.
func (h *host) recover() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	had := h.failures > 0
	h.failures, h.suspect = 0, ""
	return had
}

// row returns the row to store. Its timestamp is above that of the last write.
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

// load fills a new host from its row. A robots.txt that was stored in another format, or for other
// product tokens, is requested again.
func (h *host) load(r *schema.PoliteRow, agents []string) {
	h.at, h.blocked, h.failures = r.At, instant(r.BlockedUntil), r.Failures
	for _, e := range r.Robots {
		f := &robotsFile{
			state: e.State, status: e.HttpStatus,
			asked: instant(e.FetchedAt), expires: instant(e.ExpiresAt), good: instant(e.GoodAt),
			after: e.FetchedAt,
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

// bound corrects a row that was written by a process whose clock was far ahead: no block and no
// robots.txt lasts longer than this process would let it.
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

// millis and instant convert times; the zero time is 0.
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
