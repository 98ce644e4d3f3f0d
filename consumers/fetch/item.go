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

// item is one Scheduled on its way to its outcome.
//
// It is large because it is a list of what is known of one record until its outcome is sent.
type item struct {
	task   *task
	s      *schema.Scheduled
	url    schema.URL
	host   *host
	offset int64
	taken  time.Time
	stamp  time.Time // of its record, by the broker's clock

	ended    bool               // finish or drop was called
	repeated bool               // a reset over a kept connection was forgiven once
	moved    bool               // so was a host that has another address now
	dead     []netip.Addr       // addresses that did not answer
	visit    *schema.URL        // where its robots.txt leads, at another politeness key
	notice   *schema.HostNotice // what was learnt of the host on the way
	polite   time.Duration      // waited for the host's turn
	worker   time.Duration      // and then for a free slot
}

// authority is what a robots.txt stands for.
func (it *item) authority() string { return it.url.Scheme() + "://" + it.url.Authority() }

// late reports whether the record lay about for longer than schedule allows. It compares times of
// one clock with each other only: those that schedule wrote, and the broker's with the difference
// between its clock and ours taken off.
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

// where is the politeness key that its next request is of.
func (it *item) where() string {
	if it.visit != nil {
		return it.keyOf(*it.visit)
	}
	return it.s.PoliteKey
}

// keyOf is the politeness key of a URL, made as that of the item was: a host, a site or an address.
func (it *item) keyOf(u schema.URL) string {
	switch {
	case u.Host() == it.url.Host():
		return it.s.PoliteKey
	case it.s.PoliteKey == string(it.url.Site()) && it.s.PoliteKey != string(it.url.Host()):
		return string(u.Site())
	}
	return string(u.Host())
}

// clock is what the bench is told of the item's politeness key.
func (it *item) clock() workbench.Clock {
	t := it.task
	c := workbench.Clock{Delay: it.delay(), BlockedUntil: it.host.blockedUntil(), Site: it.site()}
	c.Address, c.Pace = it.host.place()
	if !it.s.FirstContact || it.offset < t.inherited {
		c.NotBefore = t.assigned.Add(c.Delay)
	}
	return c
}

// delay is the time between two starts of its key: what robots.txt and the operator ask for.
func (it *item) delay() time.Duration {
	o := it.task.f.o
	d := it.host.delay(o.Delay, o.MaxDelay)
	if o.Slower == nil {
		return d
	}
	wanted, version := o.Slower(it.url.Host(), schema.Site(it.site()))
	return max(d, it.host.want(wanted, version))
}

// site is whom the item shares an address with.
func (it *item) site() string { return cmp.Or(it.s.Site, string(it.url.Site()), it.s.PoliteKey) }

// outcome begins the record that ends an attempt.
func (it *item) outcome(r schema.Outcome_Result, until time.Time) *schema.Outcome {
	return &schema.Outcome{
		RowKey: it.s.RowKey, Rev: it.s.Rev, Result: r, Until: millis(until), Kind: it.s.Kind, Class: it.s.Class,
		HostNotice: it.notice, WaitedPoliteMs: it.polite.Milliseconds(), WaitedWorkerMs: it.worker.Milliseconds(),
	}
}

// learn notes what Outcome tells schedule about the host.
func (it *item) learn(change func(*schema.HostNotice)) {
	if it.notice == nil {
		it.notice = &schema.HostNotice{}
	}
	change(it.notice)
}

// answered fills in what a request showed.
func answered(o *schema.Outcome, r *web.Result) {
	o.HttpStatus, o.FetchedAt, o.ElapsedMs, o.Bytes = int32(r.Status), millis(r.Started), r.Elapsed.Milliseconds(), int64(len(r.Body))
	if r.Addr.IsValid() {
		o.Ip = r.Addr.String()
	}
	if r.Err != nil {
		o.ErrorKind = string(r.Err.Kind)
	}
}

// send appends a message and waits until it is acknowledged, however long that takes: only the end
// of the partition's ownership ends it without. Poison is handed back, since no repetition helps.
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
		if p := (*streams.PoisonError)(nil); err == nil || errors.As(err, &p) {
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

// finish appends the outcome and ends the record.
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

// drop ends an item without an outcome: whoever owns the partition next reads its record again. An
// outcome is never poison: its parts are capped.
func (t *task) drop(it *item, err error) {
	it.ended = true
	if t.ctx.Err() == nil {
		t.f.log.Error("outcome not appended", "partition", t.part.ID(), "offset", it.offset, "error", err)
	}
	t.f.hosts.release(it.host)
}

// feedLike reports kinds whose bodies go to feeds.fetched.
func feedLike(k schema.Kind) bool { return k == schema.Kind_FEED || k == schema.Kind_SITEMAP }

// page appends an answer.
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
