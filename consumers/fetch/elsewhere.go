package fetch

import (
	"net/http"
	"sync"
	"time"

	"millrace/consumers/fetch/robots"
	"millrace/consumers/fetch/web"
	"millrace/consumers/fetch/workbench"
	"millrace/schema"
)

// elsewhere keeps what was read where a robots.txt redirects to another politeness key, so that a
// thousand hosts that lead to one URL ask for it once.
type elsewhere struct {
	mu    sync.Mutex
	known map[string]answerElsewhere // by URL
	bytes int
	asked int64
}

// answerElsewhere is an answer, until it is asked for again.
type answerElsewhere struct {
	result  *web.Result // of a failure: one without status
	expires time.Time
}

// The answers kept are at most so many, of so many bytes: enough for redirects that are shared,
// which are few.
const (
	mostElsewhere      = 4096
	mostElsewhereBytes = 16 << 20
)

func newElsewhere() *elsewhere { return &elsewhere{known: make(map[string]answerElsewhere)} }

// get returns what is known of a URL, or nil.
func (e *elsewhere) get(url string) *web.Result {
	e.mu.Lock()
	defer e.mu.Unlock()
	k, ok := e.known[url]
	if !ok || !time.Now().Before(k.expires) {
		return nil
	}
	return k.result
}

// put keeps an answer. Above the bounds others go, in the random order of the map.
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

// count is the number of requests made for a host at another's politeness key.
func (e *elsewhere) count() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.asked
}

// lead takes an item to where its robots.txt redirects to, at another politeness key. What is known
// of the place needs no request; else the item waits for that key's turn.
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
			b.settle(u, &web.Result{Status: http.StatusNotFound, Header: http.Header{}})
			return
		case rules == nil:
			visit = base // what the other host forbids is not asked for
		case !permits(rules, u, b.f.o.agents()):
			b.settle(u, &web.Result{Status: http.StatusNotFound, Header: http.Header{}})
			return
		}
	}
	b.it.visit, b.again = &visit, true
}

// askElsewhere makes the request an item visits another politeness key for, and sends it home. Its
// own robots.txt is settled there from what is known now.
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

// visited keeps what the visit brought. Trouble there is not trouble of the item's host: robots.txt
// could not be read, and no more. A stranger is asked again after a day at the soonest.
func (b robotsAttempt) visited(r *web.Result) {
	it, u := b.it, *b.it.visit
	if b.offline(r) {
		return
	}
	keep := b.f.o.RobotsKeep
	if r.Err != nil || robotsVerdict(r.Status) == schema.HostNotice_UNREACHABLE {
		r = &web.Result{Header: http.Header{}}
		if string(u.Site()) == it.site() {
			keep = b.f.o.RobotsRetry
		}
	}
	kept := &web.Result{Status: r.Status, Header: r.Header, Body: r.Body}
	b.f.away.put(u.String(), kept, keep)
	b.f.log.Info("robots.txt of one host asked of another", "authority", it.authority(), "url", u.String(), "status", r.Status)
	it.visit, it.dead, b.again = nil, nil, true
}

// clock is what the bench is told of the key an item goes to.
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

// robotsOf is the robots.txt that a URL obeys.
func robotsOf(u schema.URL) (schema.URL, bool) {
	r, err := new(schema.Canonicalizer).Parse(u.Scheme() + "://" + u.Authority() + "/robots.txt")
	return r, err == nil
}

// permits reports whether the answer to a robots.txt allows a URL of its host.
func permits(answer *web.Result, u schema.URL, agents []string) bool {
	switch robotsVerdict(answer.Status) {
	case schema.HostNotice_ALLOW_ALL:
		return true
	case schema.HostNotice_RULES:
		return robots.Parse(plain(answer), agents...).Allowed(u.PathQuery())
	}
	return false
}
