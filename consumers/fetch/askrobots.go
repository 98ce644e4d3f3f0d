package fetch

import (
	"time"

	"millrace/consumers/fetch/robots"
	"millrace/consumers/fetch/web"
	"millrace/schema"
)

// maxRobotsRedirects is how many redirects of a robots.txt are followed (RFC 9309, 2.3.1.2: at
// least five). After more there counts as no robots.txt.
const maxRobotsRedirects = 5

// robotsAttempt requests the robots.txt that the item needs.
type robotsAttempt struct{ *attempt }

// ask sends the next request for the authority's robots.txt and handles the answer. The target of a
// redirect is requested by the next lease, after the delay. A target at another politeness key is
// requested in a turn of that key.
func (b robotsAttempt) ask() {
	it := b.it
	from, hops := it.host.step(it.authority())
	u, err := new(schema.Canonicalizer).Parse(from)
	switch {
	case err != nil: // cannot happen: it was parsed before
		it.task.finish(it, b.failure(&web.Result{Err: &web.Error{Kind: web.KindURL, Err: err}}, time.Time{}))
		return
	case it.keyOf(u) != it.s.PoliteKey:
		b.lead(u, hops)
		return
	case !b.locate(u.Hostname(), func(r *web.Result) { _ = b.offline(r) || b.undecided(r) }):
		return
	}
	r := b.do(robotsRequest(from))
	b.asked(r)
	if b.abandoned(r) || b.nextAddress(r) || b.offline(r) || b.undecided(r) {
		return
	}
	b.answer(u, hops, r)
}

// answer follows a redirect, or settles the answer that came from u.
func (b robotsAttempt) answer(u schema.URL, hops int, r *web.Result) {
	next, ok := target(u.String(), r)
	if !ok || hops >= maxRobotsRedirects {
		b.settle(u, r)
		return
	}
	b.it.host.redirect(b.it.authority(), next.String(), hops+1)
	b.again = true
}

func robotsRequest(url string) web.Request {
	return web.Request{URL: url, Whole: true, MaxBodyBytes: robots.MaxBytes + 4096}
}

// undecided handles errors that say nothing of robots.txt: they end the item as they would for its
// page, or the item is tried again. It returns false for all others.
func (b robotsAttempt) undecided(r *web.Result) bool {
	if r.Err == nil {
		return false
	}
	it := b.it
	switch {
	case resultOfError(r.Err.Kind) == schema.Outcome_SSRF || r.Err.Kind == web.KindURL:
		it.task.finish(it, b.failure(r, time.Time{}))
	case r.Err.Kind == web.KindDNS:
		// A name that does not resolve ends this attempt; the key is blocked for a while.
		it.task.finish(it, b.failure(r, b.rest(0, b.f.o.BackoffMost)))
	case b.staleConnection(r):
	default:
		return false
	}
	return true
}

// target returns the URL to which an answer redirects; false if it does not.
func target(from string, r *web.Result) (schema.URL, bool) {
	if r.Err != nil || !isRedirect(r.Status) {
		return schema.URL{}, false
	}
	base, err := new(schema.Canonicalizer).Parse(from)
	if err != nil {
		return schema.URL{}, false
	}
	to, err := new(schema.Canonicalizer).Resolve(base, locationOf(r.Header))
	return to, err == nil
}

// settle stores the answer that came from u, and when it expires. The item goes on if there are
// rules; else it ends with the next lease, or here if the host cannot be reached. An answer that
// cannot be decoded, or is no text, counts as unreachable. An unreachable
// robots.txt is asked for again after RobotsRetry, doubling; after RobotsKeep if a redirect led to
// another site.
func (b robotsAttempt) settle(u schema.URL, r *web.Result) {
	it, now := b.it, time.Now()
	verdict, rules := schema.HostNotice_UNREACHABLE, (*robots.Rules)(nil)
	if r.Err == nil {
		verdict = robotsVerdict(r.Status)
	}
	if verdict == schema.HostNotice_RULES {
		var ok bool
		if rules, ok = rulesOf(r, b.f.o.agents()); !ok {
			verdict = schema.HostNotice_UNREACHABLE
		}
	}
	keep := b.f.o.RobotsKeep
	if verdict == schema.HostNotice_UNREACHABLE {
		keep = it.host.retry(it.authority(), b.f.o.RobotsRetry, b.f.o.RobotsRetryMost)
		if asked := b.retryAfter(r); asked > 0 {
			keep = asked
		}
		if string(u.Site()) != it.site() {
			keep = b.f.o.RobotsKeep
		}
	}
	it.host.settle(it.authority(), verdict, rules, r.Status, now, now.Add(keep), it.s.RobotsAfter)
	b.f.bench.SetDelay(it.s.PoliteKey, b.delay())
	it.learn(func(n *schema.HostNotice) {
		n.Robots, n.CrawlDelayMs = verdict, b.robotsDelay().Milliseconds()
		n.Sitemaps = sitemaps(b.f.canon, it.url, rules)
	})
	b.conclude(r, verdict)
}

// conclude does what the answer means for the politeness key and the item.
func (b robotsAttempt) conclude(r *web.Result, verdict schema.HostNotice_Robots) {
	it := b.it
	switch {
	case r.Err != nil && hostTrouble(r.Err.Kind):
		// The host cannot be reached: the attempt ends with the error, and the key is blocked.
		it.task.finish(it, b.failure(r, b.rest(0, b.f.o.BackoffMost)))
		return
	case r.Err == nil && asksForRest(r.Status):
		b.rest(b.retryAfter(r), b.f.o.BackoffMost)
	case verdict != schema.HostNotice_UNREACHABLE:
		it.host.recover()
		b.save()
	default:
		b.save()
	}
	b.again = true
}

func (a *attempt) retryAfter(r *web.Result) time.Duration {
	return retryAfter(r.Header, time.Now(), a.f.o.MaxRetryAfter)
}

// sitemaps returns the absolute URLs of the sitemaps that robots.txt names.
func sitemaps(canon *schema.Canonicalizer, base schema.URL, r *robots.Rules) []string {
	if r == nil {
		return nil
	}
	var out []string
	for _, s := range r.Sitemaps() {
		if u, err := canon.Resolve(base, s); err == nil {
			out = append(out, u.String())
		}
	}
	return out
}
