package fetch

import (
	"net/http"
	"sync"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/consumers/fetch/workbench"
	"millrace/schema"
)

// elsewhere keeps answers of URLs at other politeness keys to which a robots.txt redirects, so that
// a thousand hosts with the same target request it once.
type elsewhere struct {
	mu    sync.Mutex
	known map[string]answerElsewhere // by URL
	bytes int
	asked int64
}

// answerElsewhere is an answer, until it is asked for again.
type answerElsewhere struct {
	result  *web.Result // of a failure: a result without a status
	expires time.Time
}

// Limits of what is kept. Targets that many hosts share are few.
const (
	mostElsewhere      = 4096
	mostElsewhereBytes = 16 << 20
)

func newElsewhere() *elsewhere { return &elsewhere{known: make(map[string]answerElsewhere)} }

// get returns the answer of a URL, or nil if there is none or it has expired.
func (e *elsewhere) get(url string) *web.Result {
	e.mu.Lock()
	defer e.mu.Unlock()
	k, ok := e.known[url]
	if !ok || !time.Now().Before(k.expires) {
		return nil
	}
	return k.result
}

// put keeps an answer. Above the limits others are dropped, in the random order of the map.
func (e *elsewhere) put(url string, r *web.Result, keep time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked++
	e.drop(url)
	for old := range e.known {
		if len(e.known) < mostElsewhere && e.bytes+len(r.Body) <= mostElsewhereBytes {
			break
		}
		e.drop(old)
	}
	e.known[url] = answerElsewhere{r, time.Now().Add(keep)}
	e.bytes += len(r.Body)
}

func (e *elsewhere) drop(url string) {
	if k, ok := e.known[url]; ok {
		e.bytes -= len(k.result.Body)
		delete(e.known, url)
	}
}

// count is the number of requests made at another politeness key.
func (e *elsewhere) count() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.asked
}

// lead sends an item to the URL, at another politeness key, to which its robots.txt redirects. A
// kept answer is used at once; else the item waits for that key's turn. The robots.txt of the other
// host is obeyed: it is requested first. What it forbids, or does not allow in clear words (a
// redirect), is not requested, and counts as a robots.txt that cannot be read: nothing is fetched.
func (b robotsAttempt) lead(u schema.URL, hops int) {
	if r := b.f.away.get(u.String()); r != nil {
		b.answer(u, hops, r)
		return
	}
	visit := u
	if !isRobots(u) {
		base, ok := robotsOf(u)
		rules := b.f.away.get(base.String())
		switch {
		case !ok:
			b.settle(u, unread())
			return
		case rules == nil:
			visit = base // the other host's robots.txt comes first
		case !permits(rules, u, b.f.o.agents()):
			b.settle(u, unread())
			return
		}
	}
	b.it.visit, b.again = &visit, true
}

// askElsewhere makes the request for which an item visits another politeness key, and sends the
// item back to its own key. There its robots.txt is settled from the kept answer.
func (b robotsAttempt) askElsewhere() {
	it, u := b.it, *b.it.visit
	if time.Since(it.taken) > b.f.o.Bench.Hold {
		it.task.finish(it, it.outcome(schema.Outcome_DEFERRED, time.Now()))
		return
	}
	if b.f.away.get(u.String()) == nil {
		if !b.locate(u.Hostname(), b.visited) {
			return
		}
		r := b.do(robotsRequest(u.String()))
		b.asked(r)
		if b.abandoned(r) || b.nextAddress(r) || r.Err != nil && b.staleConnection(r) {
			return
		}
		b.visited(r)
		return
	}
	it.visit, it.dead, b.again = nil, nil, true
}

// visited keeps the answer of a visit. Trouble there is not trouble of the item's host: it only
// means that robots.txt could not be read. Such an answer is kept for RobotsRetry, or for
// RobotsKeep if the URL is of another site.
func (b robotsAttempt) visited(r *web.Result) {
	it, u := b.it, *b.it.visit
	if b.offline(r) {
		return
	}
	keep := b.f.o.RobotsKeep
	if r.Err != nil || robotsVerdict(r.Status) == schema.HostNotice_UNREACHABLE {
		r = unread()
		if string(u.Site()) == it.site() {
			keep = b.f.o.RobotsRetry
		}
	}
	kept := &web.Result{Status: r.Status, Header: r.Header, Body: r.Body}
	b.f.away.put(u.String(), kept, keep)
	b.f.log.Info("robots.txt of one host asked of another", "authority", it.authority(), "url", u.String(), "status", r.Status)
	it.visit, it.dead, b.again = nil, nil, true
}

// clock returns what the bench needs to know of the key that the item goes to.
func (a *attempt) clock() workbench.Clock {
	it, f := a.it, a.f
	if it.visit == nil {
		return it.clock()
	}
	c := workbench.Clock{Delay: f.o.Delay, Site: string(it.visit.Site()), NotBefore: it.task.assigned.Add(f.o.Delay)}
	h, err := f.hosts.peek(it.task.ctx, it.where())
	if err != nil {
		return c
	}
	c.Delay, c.BlockedUntil = h.delay(f.o.Delay, f.o.MaxDelay), h.blockedUntil()
	c.NotBefore = it.task.assigned.Add(c.Delay)
	return c
}

func isRobots(u schema.URL) bool { return u.PathQuery() == "/robots.txt" }

// robotsOf is the robots.txt that a URL must obey.
func robotsOf(u schema.URL) (schema.URL, bool) {
	r, err := new(schema.Canonicalizer).Parse(u.Scheme() + "://" + u.Authority() + "/robots.txt")
	return r, err == nil
}

// unread is the answer of a robots.txt that cannot be read.
func unread() *web.Result { return &web.Result{Header: http.Header{}} }

// permits reports whether an answer for robots.txt allows a URL of its host.
func permits(answer *web.Result, u schema.URL, agents []string) bool {
	if isRedirect(answer.Status) {
		return false
	}
	switch robotsVerdict(answer.Status) {
	case schema.HostNotice_ALLOW_ALL:
		return true
	case schema.HostNotice_RULES:
		rules, ok := rulesOf(answer, agents)
		return ok && rules.Allowed(u.PathQuery())
	}
	return false
}
