package fetch

import (
	"cmp"
	"errors"
	"net/netip"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/consumers/fetch/workbench"
	"millrace/schema"
	"millrace/streams"
)

// item is one Scheduled until its outcome is appended.
//
// It is large because it is a list of what is known of one record until then.
type item struct {
	task   *task
	s      *schema.Scheduled
	url    schema.URL
	host   *host
	offset int64
	taken  time.Time
	stamp  time.Time // time of its record, by the broker's clock

	ended    bool               // finish or drop was called
	repeated bool               // it was tried again after a closed kept connection
	moved    bool               // it was tried again after its host's address had changed
	dead     []netip.Addr       // addresses that did not answer
	visit    *schema.URL        // the URL at another politeness key that it visits for its robots.txt
	door     *door              // the chain of redirects that it follows; nil: none
	notice   *schema.HostNotice // what was learnt of the host, for the Outcome
	polite   time.Duration      // time waited for the key's turn
	worker   time.Duration      // time waited for a free slot after that
}

// authority is the scheme, host and port that one robots.txt is for.
func (it *item) authority() string { return it.url.Scheme() + "://" + it.url.Authority() }

// late reports whether the record is older than schedule allows (not_after). It only compares times
// of the same clock: the two that schedule wrote, and the broker's time corrected by skew.
func (it *item) late() bool {
	if it.s.NotAfter == 0 {
		return false
	}
	age := time.Since(it.taken)
	if !it.stamp.IsZero() {
		age = max(age, it.task.f.skew.age(time.Now(), it.stamp))
	}
	return age > time.Duration(it.s.NotAfter-it.s.ScheduledAt)*time.Millisecond
}

// where is the politeness key of its next request.
func (it *item) where() string {
	if it.visit != nil {
		return it.keyOf(*it.visit)
	}
	return it.s.PoliteKey
}

// keyOf is the politeness key of a URL, of the same type as the item's key: a site or a host. A URL
// of the item's own host has the item's key.
func (it *item) keyOf(u schema.URL) string {
	switch {
	case u.Host() == it.url.Host():
		return it.s.PoliteKey
	case it.s.PoliteKey == string(it.url.Site()) && it.s.PoliteKey != string(it.url.Host()):
		return string(u.Site())
	}
	return string(u.Host())
}

// clock returns what the bench needs to know of the item's key. A new owner waits one delay after
// its assignment (NotBefore), except at the first contact of a host whose record came after the
// assignment.
func (it *item) clock() workbench.Clock {
	t := it.task
	c := workbench.Clock{Delay: it.delay(), BlockedUntil: it.host.blockedUntil(), Site: it.site()}
	c.Address, c.Pace = it.host.place()
	if !it.s.FirstContact || it.offset < t.inherited {
		c.NotBefore = t.assigned.Add(c.Delay)
	}
	return c
}

// delay is the time between two starts of its key: the longest that robots.txt, options and rules
// ask for.
func (it *item) delay() time.Duration {
	o := it.task.f.o
	d := it.host.delay(o.Delay, o.MaxDelay)
	if o.Slower == nil {
		return d
	}
	wanted, version := o.Slower(it.url.Host(), schema.Site(it.site()))
	return max(d, it.host.want(wanted, version))
}

// site is the site of the item, or what comes closest to it.
func (it *item) site() string { return cmp.Or(it.s.Site, string(it.url.Site()), it.s.PoliteKey) }

// outcome returns a new Outcome of the attempt.
func (it *item) outcome(r schema.Outcome_Result, until time.Time) *schema.Outcome {
	return &schema.Outcome{
		RowKey: it.s.RowKey, Rev: it.s.Rev, Result: r, Until: millis(until), Kind: it.s.Kind, Class: it.s.Class, Depth: it.s.Depth,
		HostNotice: it.notice, WaitedPoliteMs: it.polite.Milliseconds(), WaitedWorkerMs: it.worker.Milliseconds(),
	}
}

// learn changes the notice of the host that the Outcome will have.
func (it *item) learn(change func(*schema.HostNotice)) {
	if it.notice == nil {
		it.notice = &schema.HostNotice{}
	}
	change(it.notice)
}

// judge returns what operators decided by now of its URL and of the one that it requests next.
func (it *item) judge() Judgement {
	j := it.judgeOf(it.url)
	if it.door != nil && !j.stops() {
		j = it.judgeOf(it.door.known)
	}
	return j
}

func (it *item) judgeOf(u schema.URL) Judgement {
	if it.task.f.o.Judge == nil {
		return Judgement{}
	}
	return it.task.f.o.Judge(it.s, u)
}

// pausedAgain is when a URL of a paused host comes back to schedule: its owner, which may be
// another process, has read the pause by then and keeps the URL.
const pausedAgain = 2 * time.Second

// against is the outcome of a URL that operators decided against.
func (it *item) against(j Judgement, now time.Time) *schema.Outcome {
	if j.Reason == "" {
		return it.outcome(schema.Outcome_DEFERRED, now.Add(pausedAgain))
	}
	o := it.outcome(schema.Outcome_REFUSED, time.Time{})
	o.ErrorKind, o.Rule = j.Reason, j.Rule
	return o
}

// answered fills in the result of a request.
func answered(o *schema.Outcome, r *web.Result) {
	o.HttpStatus, o.FetchedAt, o.ElapsedMs, o.Bytes = int32(r.Status), millis(r.Started), r.Elapsed.Milliseconds(), int64(len(r.Body))
	if r.Addr.IsValid() {
		o.Ip = r.Addr.String()
	}
	if r.Err != nil {
		o.ErrorKind = string(r.Err.Kind)
	}
}

// send appends a message and waits until it is acknowledged. It retries until the partition is
// lost. A DeadLetterError is returned, since no retry helps.
func (t *task) send(emit func(done func(error))) error {
	for {
		ack := make(chan error, 1)
		emit(func(err error) { ack <- err })
		var err error
		select {
		case err = <-ack:
		case <-t.ctx.Done():
			return t.ctx.Err()
		}
		if p := (*streams.DeadLetterError)(nil); err == nil || errors.As(err, &p) {
			return err
		}
		t.f.log.Warn("append failed, trying again", "partition", t.part.ID(), "error", err)
		select {
		case <-time.After(appendPause):
		case <-t.ctx.Done():
			return t.ctx.Err()
		}
	}
}

// appendPause is the pause between two tries to append.
const appendPause = 500 * time.Millisecond

// finish appends the outcome and marks the record done.
func (t *task) finish(it *item, o *schema.Outcome) {
	it.ended = true
	d := &schema.Discovered{
		Host: string(schema.RowKey(it.s.RowKey).Host()), DiscoveredAt: time.Now().UnixMilli(),
		Body: &schema.Discovered_Outcome{Outcome: o},
	}
	if err := t.send(func(done func(error)) { t.out.discovered.SendNow(d, done) }); err != nil {
		t.drop(it, err)
		return
	}
	t.held.finish(it.s)
	t.part.Done(it.offset)
	t.f.hosts.release(it.host)
}

// drop ends an item without an outcome: the partition's next owner reads its record again. (An
// Outcome never becomes a dead letter, because its fields are bounded.)
func (t *task) drop(it *item, err error) {
	it.ended = true
	if t.ctx.Err() == nil {
		t.f.log.Error("outcome not appended", "partition", t.part.ID(), "offset", it.offset, "error", err)
	}
	t.f.hosts.release(it.host)
}

// feedLike reports the kinds whose bodies go to feeds.fetched.
func feedLike(k schema.Kind) bool { return k == schema.Kind_FEED || k == schema.Kind_SITEMAP }

// page appends an answer to the topic of its kind.
func (t *task) page(p *schema.Page) error {
	out := t.out.pages
	switch {
	case feedLike(p.Kind):
		out = t.out.feeds
	case isFile(p):
		out = t.out.files
	}
	return t.send(func(done func(error)) { out.SendNow(p, done) })
}
