package fetch

import (
	"bytes"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"millrace/consumers/fetch/robots"
	"millrace/consumers/fetch/web"
	"millrace/schema"
)

// maxRobotsRedirects: RFC 9309, 2.3.1.2 asks for five at least; what leads further counts as no
// robots.txt.
const maxRobotsRedirects = 5

// robotsAttempt asks for the robots.txt that the item needs.
type robotsAttempt struct{ *attempt }

// ask makes the next request for the authority's robots.txt and settles what it means. A redirect
// waits for the delay, so it is the next lease's; what leads to another politeness key is asked for
// in a turn of that key.
func (b robotsAttempt) ask() {
	it := b.it
	from, hops := it.host.step(it.authority())
	u, err := new(schema.Canonicalizer).Parse(from)
	switch {
	case err != nil: // it was parsed before
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

// answer follows a redirect, or settles what came from u.
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

// undecided handles errors that say nothing of robots.txt: the item meets them itself, or is given
// another chance.
func (b robotsAttempt) undecided(r *web.Result) bool {
	if r.Err == nil {
		return false
	}
	it := b.it
	switch {
	case resultOfError(r.Err.Kind) == schema.Outcome_SSRF || r.Err.Kind == web.KindURL:
		it.task.finish(it, b.failure(r, time.Time{}))
	case r.Err.Kind == web.KindDNS:
		// A name that is not there asks nobody for patience: this counts as a failure of the URL.
		it.task.finish(it, b.failure(r, b.rest(0, b.f.o.BackoffMost)))
	case b.staleConnection(r):
	default:
		return false
	}
	return true
}

// target is where an answer redirects to.
func target(from string, r *web.Result) (schema.URL, bool) {
	if r.Err != nil || !isRedirect(r.Status) {
		return schema.URL{}, false
	}
	base, err := new(schema.Canonicalizer).Parse(from)
	if err != nil {
		return schema.URL{}, false
	}
	to, err := new(schema.Canonicalizer).Resolve(base, r.Header.Get("Location"))
	return to, err == nil
}

// settle keeps the answer that came from u. The item goes on if there are rules to go by; else it
// ends here, as host trouble. What a stranger could not say is asked for again after a day.
func (b robotsAttempt) settle(u schema.URL, r *web.Result) {
	it, now := b.it, time.Now()
	verdict, rules := schema.HostNotice_UNREACHABLE, (*robots.Rules)(nil)
	if r.Err == nil {
		verdict = robotsVerdict(r.Status)
	}
	if verdict == schema.HostNotice_RULES {
		rules = robots.Parse(plain(r), b.f.o.agents()...)
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
	it.host.settle(it.authority(), verdict, rules, r.Status, now, now.Add(keep))
	b.f.bench.SetDelay(it.s.PoliteKey, b.delay())
	it.learn(func(n *schema.HostNotice) {
		n.Robots, n.CrawlDelayMs = verdict, b.robotsDelay().Milliseconds()
		n.Sitemaps = sitemaps(b.f.canon, it.url, rules)
	})
	b.conclude(r, verdict)
}

// conclude does what the answer means for the key and the item.
func (b robotsAttempt) conclude(r *web.Result, verdict schema.HostNotice_Robots) {
	it := b.it
	switch {
	case r.Err != nil && hostTrouble(r.Err.Kind):
		// A host that is not there must not be waited for for ever: this counts as a failure of the
		// URL.
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

// sitemaps are the absolute URLs robots.txt names.
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

// plain undoes gzip, up to what the parser reads.
func plain(r *web.Result) []byte {
	if !strings.Contains(strings.ToLower(r.Header.Get("Content-Encoding")), "gzip") {
		return r.Body
	}
	z, err := gzip.NewReader(bytes.NewReader(r.Body))
	if err != nil {
		return r.Body // announced as gzip and plain: servers do that
	}
	defer z.Close()
	b, _ := io.ReadAll(io.LimitReader(z, robots.MaxBytes+4096)) // the front of a broken stream is as good as a cut file
	return b
}
