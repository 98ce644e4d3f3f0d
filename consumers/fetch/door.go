package fetch

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"millrace/consumers/fetch/web"
	"millrace/schema"
)

// Limits of a door.
const (
	maxDoorHops     = 5       // requests after the first
	maxCookies      = 16      // of one answer, and of one request
	maxCookieBytes  = 4 << 10 // of one cookie,
	maxCookieHeader = 8 << 10 // and of all in a request
	doorsClosed     = 3       // chains of a host in a row that led nowhere; then one URL in doorSample is tried
	doorSample      = 16
)

// door is a chain of redirects within one host that a fetch follows itself, because the server
// wants a cookie before it shows the page: the first answer sets one and leads to the URL itself,
// or it leads to a page that sets one and is told the way back in a parameter. Each request is one
// lease: it waits for the delay, robots.txt and the decisions of operators as any other. The
// cookies end with the chain.
//
// Only an answer of the URL itself counts. If the chain ends elsewhere, the outcome is the first
// redirect, as without a door.
type door struct {
	jar   *cookiejar.Jar
	next  *url.URL   // to be requested
	known schema.URL // the same, in canonical form
	hops  int
	first web.Result // the first redirect, without its body
}

// asks is the URL that the item requests next, with the cookies for it.
func (it *item) asks() (u, cookies string) {
	if it.door == nil {
		return it.s.Url, ""
	}
	var b strings.Builder
	for i, c := range it.door.jar.Cookies(it.door.next) {
		if pair := c.Name + "=" + c.Value; i < maxCookies && b.Len()+len(pair)+2 <= maxCookieHeader {
			if b.Len() > 0 {
				b.WriteString("; ")
			}
			b.WriteString(pair)
		}
	}
	return it.door.next.String(), b.String()
}

// home reports whether the item requests its own URL next, not one on the way through a door.
func (it *item) home() bool { return it.door == nil || string(it.door.known.RowKey()) == it.s.RowKey }

// path is what robots.txt must allow for the next request.
func (it *item) path() string {
	if it.door == nil {
		return it.url.PathQuery()
	}
	return it.door.next.RequestURI()
}

// turnedAway reports whether robots.txt or operators forbid the next request on the way through a
// door. Then the chain ends.
func (it *item) turnedAway(r ruling) bool {
	return it.door != nil && (r == forbidden || it.judgeOf(it.door.known).Reason != "")
}

// passes handles an answer that is a step of a chain through a door. It returns false for an answer
// of the URL itself, and for trouble of the host.
func (p pageAttempt) passes(r *web.Result) bool {
	it := p.it
	switch {
	case isRedirect(r.Status):
		if p.follow(r) {
			p.again = true
			return true
		}
	case it.home(), asksForRest(r.Status), r.Status/100 == 5:
		if it.door != nil && it.home() {
			it.host.door(true)
		}
		return false
	}
	if it.door == nil {
		return false
	}
	p.lost()
	return true
}

// lost ends a chain that did not come back to its URL: the outcome is the first redirect.
func (p pageAttempt) lost() {
	first := p.it.door.first
	p.it.door = nil
	p.it.host.door(false)
	p.answered(&first)
}

// follow makes the target of a redirect the next request of the item, if the redirect belongs to a
// door.
func (p pageAttempt) follow(r *web.Result) bool {
	it := p.it
	at, err := url.Parse(it.s.Url)
	if it.door != nil {
		at = it.door.next
	}
	if err != nil {
		return false
	}
	to := locationOf(r.Header)
	next, err := at.Parse(to)
	if err != nil || to == "" {
		return false
	}
	known, err := p.f.canon.Resolve(it.url, next.String())
	if err != nil || known.Scheme() != it.url.Scheme() || known.Authority() != it.url.Authority() {
		return false
	}
	cookies := cookiesOf(r.Header)
	d := it.door
	if d == nil {
		itself := string(known.RowKey()) == it.s.RowKey && len(cookies) > 0
		if !itself && !leadsBack(next, it.url) || !it.host.mayEnter(it.s.RowKey) {
			return false
		}
		jar, err := cookiejar.New(nil) // the cookies go to one host only, so no list of suffixes is needed
		if err != nil {
			return false
		}
		d = &door{jar: jar, first: *r}
		d.first.Body = nil
	}
	if d.hops == maxDoorHops {
		return false
	}
	d.jar.SetCookies(at, cookies)
	next.Fragment = ""
	d.next, d.known, d.hops = next, known, d.hops+1
	it.door = d
	return true
}

// cookiesOf returns the cookies that an answer sets, within the limits.
func cookiesOf(h http.Header) []*http.Cookie {
	var out []*http.Cookie
	for _, c := range (&http.Response{Header: h}).Cookies() {
		if len(out) < maxCookies && len(c.Name)+len(c.Value) <= maxCookieBytes {
			out = append(out, c)
		}
	}
	return out
}

// leadsBack reports whether a parameter of a redirect's target is the URL that was requested.
func leadsBack(to *url.URL, from schema.URL) bool {
	for _, values := range to.Query() {
		for _, v := range values {
			if v == from.PathQuery() || v == from.String() {
				return true
			}
		}
	}
	return false
}

// mayEnter reports whether a URL of the key is led through a door: not if the last chains led
// nowhere, as at a page to log in, but for one URL in sixteen.
func (h *host) mayEnter(rowKey string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.doors < doorsClosed || schema.Murmur2([]byte(rowKey))%doorSample == 0
}

// door notes whether a chain came back to its URL.
func (h *host) door(passed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.doors++; passed {
		h.doors = 0
	}
}
