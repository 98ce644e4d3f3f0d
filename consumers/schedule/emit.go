package schedule

import (
	"context"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/politeness"
	"millrace/schema"
	"millrace/streams"
)

// emission sends URLs to fetch when their host has its turn, and tracks the URLs in flight. It
// writes no state: after a restart the URLs in flight are read from the unread part of
// urls.scheduled.
type emission struct {
	ledger  *ledger
	group   *Schedule
	task    *task
	p       *streams.Partition
	past    past
	flights *flights
	holds   *holds
	asking  asking
}

// emit sends the URLs whose turn it is, at most tickTurns turns. While a reader of the output is
// behind it sends only what is urgent (politeness.Dest.Next), and nothing while the log is full. It
// returns an error only if nothing was sent, because the sends of a Tick that fails are taken back;
// else it logs the error.
func (e *emission) emit(ctx context.Context) error {
	if e.p.Full() || e.group.paused.Load() || e.group.pages.left() <= 0 {
		return nil
	}
	defer e.sendHolds()
	sent, behind := 0, e.p.Behind()
	var err error
	if !behind {
		sent, err = e.emitLost(ctx)
	}
	turns := 0
	for _, d := range e.ledger.front.Dests() {
		for ; err == nil && turns < tickTurns; turns++ {
			turn := d.Next(e.ledger.now, behind)
			if turn.Lane == nil || turn.Room <= 0 || e.group.pages.left() <= 0 {
				break
			}
			var n int
			n, err = e.emitSome(ctx, turn)
			sent += n
			if turn.Classes == politeness.PressingClasses {
				d.Press(max(n, 1))
			}
		}
	}
	if err != nil && (sent > 0 || len(e.holds.sent) > 0) {
		e.group.deps.Logger.Warn("emission cut short", "partition", e.p.ID(), "error", err)
		return nil
	}
	return err
}

// emitSome sends the next URLs of a turn, at most politeness.Burst, and puts its lane behind the
// others. A host that must wait rests: for one second if its limit of pages or its site's share is
// in use, for 200 ms if the shapes of all its first URLs have enough in flight.
func (e *emission) emitSome(ctx context.Context, t politeness.Turn) (int, error) {
	led, l := e.ledger, t.Lane
	h, _ := l.Host(t.Classes).(*hosts.Host)
	if h == nil {
		led.front.Turn(l, led.now)
		return 0, nil
	}
	if _, err := led.hosts.Get(ctx, h.Name); err != nil {
		return 0, err
	}
	if _, err := led.hosts.Patterns(ctx, h); err != nil {
		return 0, err
	}
	if !led.front.Lets(l, false, led.now) {
		t.Classes, t.Room = politeness.UrgentClasses, 1 // ahead of what is in flight
	}
	n := int(min(int64(politeness.Burst), int64(t.Room), max(1, led.front.Room(l))))
	sent, why, err := e.emitOf(ctx, t, h, n, n)
	if err == nil && sent == 0 && why == fullShape { // look at more entries
		sent, why, err = e.emitOf(ctx, t, h, lookBehind, n)
	}
	switch {
	case err != nil:
		return sent, err
	case why == notTheirTurn:
		led.front.Rest(l, led.now+1000)
	case sent == 0 && why == fullShape:
		led.front.Rest(l, led.now+200)
	default:
		led.front.Turn(l, led.now)
	}
	if sent == 0 {
		led.front.Passed(l, led.now)
	}
	return sent, nil
}

// lookBehind is how many entries of a host are looked at if the first ones must wait.
const lookBehind = 64

// halt says why emitOf did not send all the entries that it looked at.
type halt uint8

const (
	noHalt halt = iota
	notTheirTurn
	fullShape
)

// emitOf looks at up to look entries of a host and sends at most most of them.
func (e *emission) emitOf(ctx context.Context, t politeness.Turn, h *hosts.Host, look, most int) (sent int, why halt, err error) {
	led, l := e.ledger, t.Lane
	entries, err := led.hosts.Look(ctx, h, look, t.Classes)
	if err != nil {
		return 0, noHalt, err
	}
	if led.opts.PagesPerSite > 0 {
		if err := led.lookAtSite(ctx, schema.Site(h.Row.Site)); err != nil {
			return 0, noHalt, err
		}
	}
	known, err := led.urls(ctx, h, pathsOf(entries)...)
	if err != nil {
		return 0, noHalt, err
	}
	for _, x := range entries {
		if sent >= most || !led.front.Lets(l, x.Class == 0, led.now) {
			break
		}
		u := known[x.Path]
		if !e.wanted(h, x, u) {
			continue
		}
		if refusal := e.refusal(h, u); refusal != nil {
			led.hosts.Take(h, x)
			e.refuse(h, x, u, refusal)
			continue
		}
		if e.hostIsFull(h, u) || led.awaitsHosts(h, u) { // until the flights have their outcomes
			return sent, notTheirTurn, nil
		}
		p, err := e.pass(ctx, h, x, u)
		if err != nil {
			return sent, noHalt, err
		}
		if p == full {
			why = fullShape
			continue
		}
		if p == closed {
			led.hosts.Take(h, x)
			e.holds.take(h, u.key(h), x)
			continue
		}
		placed := e.takesPlace(u)
		if placed && !e.ledger.sums.take(schema.Site(h.Row.Site)) {
			return sent, notTheirTurn, nil
		}
		if g := e.group.pages.reserve(e.task, h.Row.Site, led.now); g != granted {
			if placed {
				e.ledger.sums.fly(schema.Site(h.Row.Site), -1)
			}
			if g == notYet {
				return sent, notTheirTurn, nil
			}
			break
		}
		led.hosts.Take(h, x)
		h.Sent(x.Class)
		e.launch(h, x, u, placed)
		sent++
	}
	return sent, why, nil
}

func pathsOf(entries []hosts.Entry) []string {
	paths := make([]string, len(entries))
	for i, e := range entries {
		paths[i] = e.Path
	}
	return paths
}

// wanted reports whether the URL of an entry is to be sent: its row is due, it is not in flight and
// not being put aside. If not, the entry is taken from the queue; it is done at once, or when the
// record or outcome under way arrives.
func (e *emission) wanted(h *hosts.Host, x hosts.Entry, u *url) bool {
	if u != nil {
		if e.holds.has(u.key(h)) { // the PatternHold record on its way decides
			e.ledger.hosts.Take(h, x)
			e.holds.take(h, u.key(h), x)
			return false
		}
		if f := e.flights.of(u.key(h)); f != nil { // the outcome finishes this entry too
			e.ledger.hosts.Take(h, x)
			if x.Seq != hosts.NoSeq {
				f.entries = append(f.entries, x)
			}
			return false
		}
		if e.ledger.isDue(h, u.row) {
			return true
		}
	}
	e.ledger.hosts.Take(h, x)
	h.Finish(x)
	return false
}

// launch sends one URL to fetch. placed says that it has a place among the pages of its site.
func (e *emission) launch(h *hosts.Host, x hosts.Entry, u *url, placed bool) {
	now := e.ledger.now
	f := &flight{host: h, path: u.path, rev: max(u.row.Rev+1, now), at: now, placed: placed}
	if x.Seq != hosts.NoSeq {
		f.entries = []hosts.Entry{x}
	}
	first := !h.Row.Contacted && h.Flights() == 0 && e.ledger.opts.PoliteBy == policy.ByHost
	e.fly(u.key(h), f, x.Class == 0)
	if u.row.AskedAt == 0 {
		e.asking.add(h.Name, u.path)
	}
	e.ledger.out.scheduled.Send(e.message(h, u, f, int32(x.Class), first))
}

// fly registers a flight. Its place in pages was reserved before.
func (e *emission) fly(key schema.RowKey, f *flight, urgent bool) {
	e.flights.add(key, f)
	f.host.Fly(1)
	f.slot = e.ledger.front.Start(f.host.Lane, urgent, e.ledger.now)
}

// message builds the record for fetch. It has the ETag and Last-Modified of the last answer only if
// a 304 would be of use (policy.TrustValidators).
func (e *emission) message(h *hosts.Host, u *url, f *flight, class int32, first bool) *schema.Scheduled {
	key, now := u.key(h), e.ledger.now
	s := &schema.Scheduled{
		RowKey: string(key), Url: key.URL(), Site: h.Row.Site, Kind: u.row.Kind, Rev: f.rev,
		Class: class, Depth: u.row.Depth, Score: u.row.Score, Fails: u.row.Fails,
		DueAt: u.row.NextDue, NotAfter: now + 3*hold.Milliseconds(), FirstContact: first,
		DiscoveredAt: u.row.DiscoveredAt, ScheduledAt: now, PoliteKey: h.Lane.Key, ListedAt: u.row.ListedAt, Redirects: u.row.Redirects,
		Seeded: u.row.Seeded, RobotsAfter: h.Row.RobotsAfter,
	}
	if policy.TrustValidators(u.row, h.Row, key, f.rev, now) {
		s.Etag, s.LastModified = u.row.Etag, u.row.LastModified
	}
	return s
}

// land ends the flight of an outcome; page says that the outcome brought a page. An outcome of an
// older attempt ends nothing.
func (e *emission) land(h *hosts.Host, m *schema.Outcome, page bool) {
	key := schema.RowKey(m.RowKey)
	f := e.flights.of(key)
	if f == nil || m.Rev < f.rev {
		if page {
			e.group.pages.late(e.task, h.Row.Site)
		}
		return
	}
	started := m.FetchedAt
	if m.Result == schema.Outcome_DEFERRED {
		started = 0
	}
	e.unfly(key, f, started, started > 0 && m.ElapsedMs < politeness.Lead.Milliseconds(), page)
}

// unfly ends a flight and finishes the queue entries of its URL. started is when its request began
// (ms), 0 if there was none; prompt says that the answer came within politeness.Lead.
func (e *emission) unfly(key schema.RowKey, f *flight, started int64, prompt, page bool) {
	e.flights.remove(key)
	e.asking.remove(f.host.Name, f.path)
	f.host.Fly(-1)
	if f.placed {
		e.ledger.sums.fly(schema.Site(f.host.Row.Site), -1)
	}
	if f.refusal != nil { // it has no slot and no place in pages
		for _, x := range f.entries {
			f.host.Finish(x)
		}
		return
	}
	e.group.pages.landed(e.task, f.host.Row.Site, page, e.ledger.now)
	for _, x := range f.entries {
		f.host.Finish(x)
	}
	e.ledger.front.End(f.slot, started, prompt, e.ledger.now)
}

// recover reads what is in flight: the records of urls.scheduled that fetch has not finished and
// whose outcome is not in the URL's row.
func (e *emission) recover(ctx context.Context) error {
	var list []*schema.Scheduled
	if err := e.readUnread(ctx, func(s *schema.Scheduled) { list = append(list, s) }); err != nil {
		return err
	}
	for _, s := range list {
		key := schema.RowKey(s.RowKey)
		h, u, err := e.ledger.one(ctx, key.Host(), s.RowKey)
		if err != nil {
			return err
		}
		if u != nil && u.row.Rev >= s.Rev {
			continue
		}
		if f := e.flights.of(key); f != nil {
			f.rev = max(f.rev, s.Rev)
			continue
		}
		e.group.pages.resume(e.task, h.Row.Site, e.ledger.now)
		f := &flight{host: h, path: key.Path(), rev: s.Rev, at: e.ledger.now, placed: e.takesPlace(u)}
		if f.placed {
			e.ledger.sums.fly(schema.Site(h.Row.Site), 1)
		}
		e.fly(key, f, s.Class == 0)
		if u == nil || u.row.AskedAt == 0 {
			e.asking.add(h.Name, key.Path())
		}
	}
	return nil
}

// unread returns the highest rev of each URL that fetch has not finished.
func (e *emission) unread(ctx context.Context) (map[schema.RowKey]int64, error) {
	out := map[schema.RowKey]int64{}
	err := e.readUnread(ctx, func(s *schema.Scheduled) {
		key := schema.RowKey(s.RowKey)
		out[key] = max(out[key], s.Rev)
	})
	return out, err
}

// readUnread calls fn for the unfinished URLs of this partition's hosts. With hosts as politeness
// keys they are in one partition of urls.scheduled, else in any.
func (e *emission) readUnread(ctx context.Context, fn func(*schema.Scheduled)) error {
	partitions := []int32{e.p.ID()}
	if e.ledger.opts.PoliteBy != policy.ByHost {
		partitions = nil
		for p := range e.p.Count() {
			partitions = append(partitions, p)
		}
	}
	return e.past.unread(ctx, partitions, func(s *schema.Scheduled) {
		host := schema.RowKey(s.RowKey).Host()
		if schema.Partition(string(host), e.p.Count()) == e.p.ID() {
			fn(s)
		}
	})
}

// emitLost sends URLs again that are in flight for longer than fetch may keep them (anyOverdue) and
// are not in the unread part of urls.scheduled: their records were lost. It reads urls.scheduled at
// most once per hold.
func (e *emission) emitLost(ctx context.Context) (int, error) {
	now := e.ledger.now
	if !e.flights.anyOverdue(now) || now-e.flights.looked < hold.Milliseconds() && now >= e.flights.looked {
		return 0, nil
	}
	unread, err := e.unread(ctx)
	if err != nil {
		return 0, err
	}
	e.flights.looked = now
	sent := 0
	for e.flights.anyOverdue(now) {
		key, f := e.flights.oldest()
		if unread[key] >= f.rev {
			e.flights.renew(key, f, now)
			continue
		}
		known, err := e.ledger.urls(ctx, f.host, f.path)
		if err != nil {
			return sent, err
		}
		if e.emitAgain(key, f, known[f.path]) {
			sent++
		}
	}
	return sent, nil
}

// emitAgain sends a lost flight with a new rev, or ends it if its URL is not due any more. It
// reports whether it sent a URL to fetch.
func (e *emission) emitAgain(key schema.RowKey, f *flight, u *url) bool {
	now := e.ledger.now
	if f.refusal != nil {
		f.rev = max(f.rev+1, now)
		f.refusal.GetOutcome().Rev = f.rev
		e.flights.renew(key, f, now)
		e.ledger.out.discovered.Send(f.refusal)
		return false
	}
	if u == nil || !e.ledger.isDue(f.host, u.row) {
		e.unfly(key, f, 0, false, false)
		e.ledger.front.Place(f.host.Lane, now)
		return false
	}
	f.rev = max(u.row.Rev+1, f.rev+1, now)
	e.flights.renew(key, f, now)
	e.ledger.out.scheduled.Send(e.message(f.host, u, f, u.row.Class, false))
	return true
}
