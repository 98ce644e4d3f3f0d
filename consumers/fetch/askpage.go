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

// pageAttempt requests the URL of the item.
type pageAttempt struct{ *attempt }

// ask sends the request for the page, unless the address must be resolved first, and handles the
// answer.
func (p pageAttempt) ask() {
	it := p.it
	if !p.locate(it.url.Hostname(), p.failed) {
		return
	}
	behind := it.task.part.BehindOn(topics.Files().Name)
	if behind && namesFile(it.url) {
		p.later()
		return
	}
	req := web.Request{NoFiles: behind}
	if req.URL, req.Cookie = it.asks(); it.home() {
		req.ETag, req.LastModified = it.s.Etag, it.s.LastModified
	}
	r := p.do(req)
	p.asked(r)
	switch {
	case p.abandoned(r), p.nextAddress(r):
	case r.Err != nil:
		p.failed(r)
	default:
		if p.offline(r); !p.passes(r) {
			p.answered(r)
		}
	}
}

// failed handles a request without a complete answer. An answer that began and did not end counts
// for its URL only, like the first 5xx (judgeHost): it may be a stream.
func (p pageAttempt) failed(r *web.Result) {
	it := p.it
	if p.offline(r) {
		return
	}
	if p.staleConnection(r) {
		return
	}
	if r.Err.Kind == web.KindLater {
		p.later()
		return
	}
	if p.f.o.ByIP && r.Err.Kind == web.KindConnect && !r.Written {
		p.resolve()
		return
	}
	var until time.Time
	if hostTrouble(r.Err.Kind) && (r.Status == 0 || it.host.doubt(it.s.RowKey)) {
		until = p.rest(0, p.f.o.BackoffMost)
	}
	it.task.finish(it, p.failure(r, until))
}

// later defers a PDF or Office file because its readers are behind. Usually the suffix of the URL
// shows the type; then no request is sent.
func (p pageAttempt) later() {
	p.it.task.finish(p.it, p.it.outcome(schema.Outcome_DEFERRED, time.Now().Add(p.f.o.Bench.Hold)))
}

// staleConnection reports a kept connection that the server had just closed, which says nothing of
// the URL. The item goes back on the bench to be tried once more, after the delay.
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

// answered handles an answer: first what it means for the host, then for the URL.
func (p pageAttempt) answered(r *web.Result) {
	it := p.it
	o := it.outcome(resultOf(r.Status), p.judgeHost(r))
	answered(o, r)
	switch o.Result {
	case schema.Outcome_OK:
		p.emitPage(o, r)
	case schema.Outcome_UNCHANGED:
		p.unchanged(o, r)
	case schema.Outcome_REDIRECT:
		p.emitTarget(o, r)
	}
	if it.task.ctx.Err() != nil {
		it.task.drop(it, it.task.ctx.Err())
		return
	}
	it.task.finish(it, o)
}

// judgeHost does what an answer means for the host: it blocks the key, or ends its failures in a
// row. It returns the end of the block, if there is one. The first 5xx answer counts for its URL
// only; a second one in a row from another URL counts for the host.
func (p pageAttempt) judgeHost(r *web.Result) time.Time {
	it := p.it
	switch {
	case asksForRest(r.Status):
		return p.rest(p.retryAfter(r), p.f.o.BackoffMost)
	case r.Status/100 == 5:
		if it.host.doubt(it.s.RowKey) {
			return p.rest(p.retryAfter(r), p.f.o.BrokenMost)
		}
	case it.host.recover():
		p.save()
	}
	return time.Time{}
}

// emitPage appends the answer to the topic of its kind. If it is too large for the topic, the
// outcome is TOO_BIG.
func (p pageAttempt) emitPage(o *schema.Outcome, r *web.Result) {
	validators(o, r.Header)
	page := pageOf(p.it.s, r)
	page.Kind = served(page)
	o.Served = page.Kind
	if err := p.it.task.page(page); err != nil {
		o.Result, o.ErrorKind = schema.Outcome_TOO_BIG, string(web.KindTooBig)
	}
}

// unchanged handles a 304. Without validators in the request it is a protocol error. Its headers
// hold for the page (RFC 9110, 15.4.5): if they forbid to index it, the outcome says so.
func (p pageAttempt) unchanged(o *schema.Outcome, r *web.Result) {
	if p.it.s.Etag == "" && p.it.s.LastModified == "" {
		o.Result, o.ErrorKind = schema.Outcome_NETWORK, string(web.KindProtocol)
		return
	}
	validators(o, r.Header)
	if forbidsIndex(r.Header, p.f.o.agents()) {
		o.ErrorKind = robotsTag
	}
}

func validators(o *schema.Outcome, h http.Header) {
	o.Etag, o.LastModified = headerValue(h.Get("ETag")), headerValue(h.Get("Last-Modified"))
}

// emitTarget appends the target of a redirect as a link. The redirect itself is not
// followed: its target is a URL like any other, and a chain without end is a trap like any other. A
// redirect to its own URL ends at once.
func (p pageAttempt) emitTarget(o *schema.Outcome, r *web.Result) {
	it := p.it
	to, err := p.f.canon.Resolve(it.url, locationOf(r.Header))
	if err != nil {
		o.Result, o.ErrorKind = schema.Outcome_CLIENT_ERROR, string(web.KindURL)
		return
	}
	o.RedirectTo = to.String()
	key := to.RowKey()
	if string(key) == it.s.RowKey {
		o.ErrorKind = "loop"
		return
	}
	d := &schema.Discovered{
		Host: string(key.Host()), DiscoveredAt: time.Now().UnixMilli(),
		Body: &schema.Discovered_Links{Links: &schema.Links{
			SourceRowKey: it.s.RowKey, SourceSite: it.s.Site, SourceRev: it.s.Rev, Depth: it.s.Depth,
			Redirects: it.s.Redirects + 1,
			Links:     []*schema.Link{{Path: key.Path(), Kind: it.s.Kind, Rel: relRedirect}},
		}},
	}
	// An error can only mean that the partition is lost; answered checks the context.
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
		Depth: s.Depth, Score: s.Score, Class: s.Class,
		DiscoveredAt: s.DiscoveredAt, ListedAt: s.ListedAt, ScheduledAt: s.ScheduledAt, FetchedAt: millis(r.Started),
	}
	if r.Addr.IsValid() {
		p.Ip = r.Addr.String()
	}
	return p
}

// kept lists the headers that are stored for later stages and other readers of the topic:
// directives, dates, language, licences.
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

// headerValue makes a header value fit for a record: valid UTF-8, no control characters, at most 4
// KiB. A validator that was changed by this does not match, and the next answer is a 200.
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
