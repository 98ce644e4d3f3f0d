package origin

import (
	"net/http"
	"strings"
	"time"

	"millrace/ops/simweb/draw"
	"millrace/ops/simweb/judge"
	"millrace/ops/simweb/world"
)

// exchange answers one request and records it.
func (s *Server) exchange(k *connection, r *http.Request) {
	x := &exchange{s: s, k: k, r: r, start: time.Now(), at: s.opts.Clock.Now()}
	if at := time.Unix(0, arrived(k.c)); s.opts.Arrivals && at.Unix() > 0 {
		x.start = x.start.Add(min(0, at.Sub(x.start))) // keeps the monotonic reading
	}
	x.event = judge.Event{Start: x.start.UnixNano(), At: x.at.UnixNano(), IP: k.ip}
	x.answer()
	if !x.ended { // nothing was sent: the client went away
		x.ends()
		k.close()
	}
}

// ends takes the time at which the request ends, and records it: before the
// client can have all of the answer, so that who has it finds it in the record.
func (x *exchange) ends() {
	x.ended = true
	x.event.Micros = uint32(min(time.Since(x.start).Microseconds(), 1<<32-1))
	x.s.record.Add(x.event, x.url)
}

// exchange is one request and its answer.
type exchange struct {
	s     *Server
	k     *connection
	r     *http.Request
	req   world.Request
	start time.Time // of the machine's clock
	at    time.Time // of the web's clock
	event judge.Event
	ended bool
	url   string // if it cannot be rebuilt from the event
}

func (x *exchange) answer() {
	x.flags()
	secure := x.k.tls || x.r.URL.Scheme == "https"
	req, ok := x.s.w.Parse(secure, x.r.Host, x.r.URL.RequestURI())
	x.k.head["Date"] = []string{x.at.UTC().Format(http.TimeFormat)}
	if !ok {
		x.event.Flags |= judge.NoHost
		x.status(http.StatusBadGateway)
		return
	}
	x.req = req
	x.event.Host, x.event.Form, x.event.Page = req.Ref.Host, req.Ref.Form, req.Ref.Page
	if !req.Ref.Page.Derivable() {
		x.keepURL()
	}
	if !x.think() {
		return
	}
	if c, has := x.s.overrides.get(req.Ref); has {
		x.overridden(c)
		return
	}
	x.fromWorld()
}

func (x *exchange) flags() {
	if x.r.Method == http.MethodHead {
		x.event.Flags |= judge.Head
	}
	if strings.Contains(strings.ToLower(x.r.UserAgent()), strings.ToLower(x.s.w.Agent())) {
		x.event.Flags |= judge.AgentRight
	}
	if x.r.Header["If-None-Match"] != nil || x.r.Header["If-Modified-Since"] != nil {
		x.event.Flags |= judge.Conditional
	}
}

// keepURL lets the judge name a URL that is not the world's.
func (x *exchange) keepURL() {
	x.event.Flags |= judge.Odd
	base := x.s.w.URL(world.Ref{Host: x.req.Ref.Host, Form: x.req.Ref.Form & (world.HTTPS | world.WWW)}, "")
	x.url = strings.TrimSuffix(base, "/") + x.req.Target
}

// think waits for the host's latency; false if the client went away.
func (x *exchange) think() bool {
	if x.s.opts.NoLatency {
		return true
	}
	d := x.s.w.Latency(x.req.Ref.Host, draw.Hash(uint64(x.event.Page), uint64(x.event.At)))
	if d == 0 {
		return true
	}
	ctx, stop := x.k.waiting()
	defer stop()
	return x.s.opts.Clock.Sleep(ctx, d) == nil
}

// fromWorld answers what the world has at the URL.
func (x *exchange) fromWorld() {
	if status, until := x.s.w.Overloaded(x.req.Ref.Host, x.at); status != 0 {
		x.retryAfter(until.Sub(x.at))
		x.status(status)
		return
	}
	a := x.s.w.Answer(x.req, x.at)
	x.send(&a)
}

// overridden answers what a test put at the URL.
func (x *exchange) overridden(c changed) {
	x.event.Override = true
	switch {
	case c.Hang:
		x.hang()
	case c.SameAs != "":
		x.twin(c)
	case c.Status == http.StatusOK && c.Robots != nil:
		x.body(world.AppendGroups(make([]byte, headRoom), c.Robots, "\n"), "text/plain", whole)
	case c.Status == http.StatusOK:
		body := c.page(make([]byte, headRoom))
		x.validators(draw.HashString(1, string(body[headRoom:])), c.from.UnixNano())
		x.body(body, world.HTML, whole)
	default:
		if c.RetryAfter > 0 {
			x.retryAfter(c.RetryAfter)
		}
		if c.Location != "" {
			x.k.head["Location"] = []string{c.Location}
		}
		x.status(c.Status)
	}
}

// twin shows another page at this URL.
func (x *exchange) twin(c changed) {
	of, _ := x.s.w.ParseURL(c.SameAs) // set checked it
	a := x.s.w.Answer(of, x.at)
	a.Ref.Host, a.Ref.Form, a.Port = x.req.Ref.Host, x.req.Ref.Form, x.req.Port
	if to, ok := x.s.w.ParseURL(c.Canonical); ok && !a.HasCanon {
		a.Canonical, a.HasCanon = to.Ref, true
	}
	a.Modified = max(a.Modified, c.from.UnixNano())
	a.ETag ^= draw.HashString(1, c.SameAs+c.Canonical)
	x.send(&a)
}

// hang holds the request until the client or the server goes away.
func (x *exchange) hang() {
	ctx, stop := x.k.waiting()
	<-ctx.Done()
	stop()
	x.reset()
}

// reset closes the connection without an answer.
func (x *exchange) reset() {
	x.ends()
	x.k.reset()
}
