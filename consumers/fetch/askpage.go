package fetch

import (
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"millrace/consumers/fetch/web"
	"millrace/schema"
	"millrace/topics"
)

// askPage makes the request the item is for, and ends it.
func (a *attempt) askPage() {
	it := a.it
	if !a.locate(it.url.Hostname(), a.failed) {
		return
	}
	behind := it.task.part.BehindOn(topics.Files().Name)
	if behind && namesFile(it.url) {
		a.later()
		return
	}
	r := a.do(web.Request{URL: it.s.Url, ETag: it.s.Etag, LastModified: it.s.LastModified, NoFiles: behind})
	a.asked(r)
	switch {
	case a.abandoned(r), a.nextAddress(r):
	case r.Err != nil:
		a.failed(r)
	default:
		a.offline(r)
		a.answeredWith(r)
	}
}

// failed handles a request without a whole answer.
func (a *attempt) failed(r *web.Result) {
	it := a.it
	if a.offline(r) {
		return
	}
	if a.staleConnection(r) {
		return
	}
	if r.Err.Kind == web.KindLater {
		a.later()
		return
	}
	if a.f.o.ByIP && r.Err.Kind == web.KindConnect && !r.Written {
		a.resolve()
		return
	}
	var until time.Time
	if hostTrouble(r.Err.Kind) {
		until = a.rest(0, a.f.o.BackoffMost)
	}
	it.task.finish(it, a.failure(r, until))
}

// later gives a document back: its readers are behind. What a URL is called only saves a request that would be in vain.
func (a *attempt) later() {
	a.it.task.finish(a.it, a.it.outcome(schema.Outcome_DEFERRED, time.Now().Add(a.f.o.Bench.Hold)))
}

// staleConnection: a kept connection that the server has just closed says nothing of the URL. Once more, after the delay.
func (a *attempt) staleConnection(r *web.Result) bool {
	if r.Err.Kind != web.KindReset || !r.Reused || a.it.repeated {
		return false
	}
	a.it.repeated, a.again = true, true
	return true
}

func (a *attempt) failure(r *web.Result, until time.Time) *schema.Outcome {
	o := a.it.outcome(resultOfError(r.Err.Kind), until)
	answered(o, r)
	o.ErrorKind = string(r.Err.Kind)
	return o
}

// answeredWith handles an answer: host first, then URL.
func (a *attempt) answeredWith(r *web.Result) {
	it := a.it
	o := it.outcome(resultOf(r.Status), a.judgeHost(r))
	answered(o, r)
	switch o.Result {
	case schema.Outcome_OK:
		a.emitPage(o, r)
	case schema.Outcome_UNCHANGED:
		a.unchanged(o, r)
	case schema.Outcome_REDIRECT:
		a.emitTarget(o, r)
	}
	if it.task.ctx.Err() != nil {
		it.task.drop(it, it.task.ctx.Err())
		return
	}
	it.task.finish(it, o)
}

// judgeHost does what an answer means for the host: a rest, or the end of its failures in a row. It returns the end of the rest, if there is one. The
// first server error is taken for that of its URL; a second in a row from another URL is the host's.
func (a *attempt) judgeHost(r *web.Result) time.Time {
	it := a.it
	switch {
	case asksForRest(r.Status):
		return a.rest(a.retryAfter(r), a.f.o.BackoffMost)
	case r.Status/100 == 5:
		if it.host.doubt(it.s.RowKey) {
			return a.rest(a.retryAfter(r), a.f.o.BrokenMost)
		}
	case it.host.recover():
		a.save()
	}
	return time.Time{}
}

// emitPage appends the answer, to the readers of what it is. A page too big for the topic is too big.
func (a *attempt) emitPage(o *schema.Outcome, r *web.Result) {
	validators(o, r.Header)
	p := pageOf(a.it.s, r)
	p.Kind = served(p)
	o.Served = p.Kind
	if err := a.it.task.page(p); err != nil {
		o.Result, o.ErrorKind = schema.Outcome_TOO_BIG, string(web.KindTooBig)
	}
}

// unchanged is no answer to a request without validators.
func (a *attempt) unchanged(o *schema.Outcome, r *web.Result) {
	if a.it.s.Etag == "" && a.it.s.LastModified == "" {
		o.Result, o.ErrorKind = schema.Outcome_NETWORK, string(web.KindProtocol)
		return
	}
	validators(o, r.Header)
}

func validators(o *schema.Outcome, h http.Header) {
	o.Etag, o.LastModified = headerValue(h.Get("ETag")), headerValue(h.Get("Last-Modified"))
}

// emitTarget appends where a redirect leads, as a link; it is never followed. A chain ends after MaxHops, and a redirect to itself at once.
func (a *attempt) emitTarget(o *schema.Outcome, r *web.Result) {
	it := a.it
	to, err := a.f.canon.Resolve(it.url, r.Header.Get("Location"))
	if err != nil {
		o.Result, o.ErrorKind = schema.Outcome_CLIENT_ERROR, string(web.KindURL)
		return
	}
	o.RedirectTo = to.String()
	key := to.RowKey()
	switch {
	case string(key) == it.s.RowKey:
		o.ErrorKind = "loop"
		return
	case int(it.s.Hops) >= a.f.o.MaxHops:
		o.ErrorKind = "hops"
		return
	}
	d := &schema.Discovered{
		Host: string(key.Host()), DiscoveredAt: time.Now().UnixMilli(),
		Body: &schema.Discovered_Links{Links: &schema.Links{
			SourceRowKey: it.s.RowKey, SourceSite: it.s.Site, SourceRev: it.s.Rev, Depth: it.s.Depth, Hops: it.s.Hops + 1,
			Links: []*schema.Link{{Path: key.Path(), Kind: it.s.Kind, Rel: relRedirect}},
		}},
	}
	// An error can only mean that the partition is lost; answeredWith sees that.
	_ = it.task.send(func(done func(error)) { it.task.out.discovered.SendNow(d, done) })
}

// relRedirect is the bit of Link.rel for the target of a redirect.
const relRedirect = 8

func pageOf(s *schema.Scheduled, r *web.Result) *schema.Page {
	p := &schema.Page{
		RowKey: s.RowKey, Url: s.Url, Site: s.Site, Kind: s.Kind, Rev: s.Rev, HttpStatus: int32(r.Status),
		Headers: keptHeaders(r.Header), ContentType: headerValue(r.Header.Get("Content-Type")),
		ContentEncoding: headerValue(strings.Join(r.Header.Values("Content-Encoding"), ", ")),
		Body:            r.Body, BodyLength: int64(len(r.Body)), Truncated: r.Truncated,
		Depth: s.Depth, Score: s.Score, Class: s.Class, Hops: s.Hops,
		DiscoveredAt: s.DiscoveredAt, ScheduledAt: s.ScheduledAt, FetchedAt: millis(r.Started),
	}
	if r.Addr.IsValid() {
		p.Ip = r.Addr.String()
	}
	return p
}

// kept names the headers that later stages or readers of the topic may need: directives, dates, language, licences.
func kept() []string {
	return []string{
		"cache-control", "content-disposition", "content-language", "content-location", "content-type", "content-usage",
		"date", "etag", "expires", "last-modified", "link", "refresh", "server", "tdm-policy", "tdm-reservation", "x-robots-tag",
	}
}

func keptHeaders(h http.Header) []*schema.Header {
	var out []*schema.Header
	for _, name := range kept() {
		for _, v := range h.Values(name) {
			if v = headerValue(v); v != "" {
				out = append(out, &schema.Header{Name: name, Value: v})
			}
		}
	}
	return out
}

// headerValue makes a server's words fit for a record: UTF-8, no control characters, a bounded length. A value that had to be changed is of no use as a validator,
// and the next answer simply is not 304.
func headerValue(v string) string {
	const most = 4 << 10
	if len(v) > most {
		v = v[:most]
	}
	if utf8.ValidString(v) && strings.IndexFunc(v, unicode.IsControl) < 0 {
		return v
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(v, ""))
}
