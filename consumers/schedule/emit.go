package schedule

import (
	"context"

	"millrace/schema"
)

// flight is a URL that was emitted and has no outcome yet.
type flight struct {
	host    *host
	path    string
	rev     int64
	at      int64   // ms: of the emission
	pace    pace    // of its key then
	young   bool    // counts as backlog
	entries []entry // of the queues that name the URL: done with its outcome
}

// flightAge remembers an emission, in order; it means nothing any more if the
// flight has another time.
type flightAge struct {
	key schema.RowKey
	at  int64
}

// emit appends the URLs whose turn it is. It writes no state: what is in flight
// is the unread part of urls.scheduled. An error is returned only while nothing
// was sent, because the sends of a Tick that fails are taken back.
func (t *task) emit(ctx context.Context) error {
	if t.p.Behind() || t.group.stopped() {
		return nil
	}
	sent, err := t.emitLost(ctx)
	turns := 0
	for _, d := range t.front.dests {
		d.drain.roll(t.now)
		for ; err == nil && turns < tickTurns; turns++ {
			l, room := d.next(t.opts)
			if room = min(room, t.group.pagesLeft()); l == nil || room <= 0 {
				break
			}
			var n int
			n, err = t.emitSome(ctx, l, room)
			sent += n
		}
	}
	if err != nil && sent > 0 {
		t.group.deps.Logger.Warn("emission cut short", "partition", t.p.ID(), "error", err)
		return nil
	}
	return err
}

// emitSome emits the next URLs of a key, at most a burst, and gives the turn to
// the next key.
func (t *task) emitSome(ctx context.Context, l *lane, room int) (int, error) {
	picked := l.host()
	if picked == nil {
		t.front.turn(l, t.now)
		return 0, nil
	}
	h, err := t.host(ctx, picked.name)
	if err != nil {
		return 0, err
	}
	n := min(int64(burst), int64(room), max(1, t.front.room(l)))
	entries, err := t.look(ctx, h, int(n))
	if err != nil {
		return 0, err
	}
	known, err := t.urls(ctx, h, pathsOf(entries)...)
	if err != nil {
		return 0, err
	}
	sent := 0
	for _, e := range entries {
		if t.front.room(l) <= 0 || l.opens() > t.now {
			break
		}
		if !t.group.reserve() {
			break
		}
		t.take(h, e)
		if t.decide(h, e, known[e.path]) {
			sent++
		} else {
			t.group.flying.Add(-1)
		}
	}
	t.front.turn(l, t.now)
	return sent, nil
}

func pathsOf(entries []entry) []string {
	paths := make([]string, len(entries))
	for i, e := range entries {
		paths[i] = e.path
	}
	return paths
}

// decide emits the URL of an entry if the entry is alive: its row says that it is
// due, and it is not in flight. It reports whether it did.
func (t *task) decide(h *host, e entry, u *url) bool {
	if u == nil || u.row.NextDue == 0 {
		h.finish(e)
		return false
	}
	key := u.key(h)
	if f := t.flights[key]; f != nil { // the outcome will tell
		if e.seq != noSeq {
			f.entries = append(f.entries, e)
		}
		return false
	}
	switch wait := u.row.NextDue - t.now; {
	case wait <= 0:
		t.launch(h, e, u)
		return true
	case wait <= slotTime.Milliseconds() && e.seq != noSeq: // the clock of its record was ahead of ours
		t.wheel.start(timer{u.row.NextDue, h.name, e})
	default:
		h.finish(e)
	}
	return false
}

// launch emits one URL.
func (t *task) launch(h *host, e entry, u *url) {
	f := &flight{host: h, path: u.path, rev: max(u.row.Rev+1, t.now), at: t.now}
	if e.seq != noSeq {
		f.entries = []entry{e}
	}
	first := !h.row.Contacted && h.flights == 0 && t.opts.PoliteBy == ByHost
	t.fly(u.key(h), f)
	t.scheduled.Send(t.message(h, u, f, int32(e.class), first))
}

// fly counts a flight, for which the group has reserved a place.
func (t *task) fly(key schema.RowKey, f *flight) {
	f.pace, f.young = f.host.lane.pace, true
	t.flights[key] = f
	t.ages = append(t.ages, flightAge{key, f.at})
	t.young[f.pace] = append(t.young[f.pace], f)
	f.host.flights++
	t.front.started(f.host.lane, t.now)
}

// mature takes what should have been answered by now out of the backlog. A key
// that did not answer in that time is not quick any more.
func (t *task) mature() {
	for p := range paces {
		list := t.young[p]
		for len(list) > 0 && (!list[0].young || list[0].at+p.patience() < t.now) {
			if f := list[0]; f.young {
				f.grow()
				t.front.setPace(f.host.lane, unproven, t.now)
			}
			list[0] = nil
			list = list[1:]
		}
		t.young[p] = list
	}
}

func (f *flight) grow() {
	f.young = false
	f.host.lane.dest.young[f.pace]--
}

func (t *task) message(h *host, u *url, f *flight, class int32, first bool) *schema.Scheduled {
	key := u.key(h)
	s := &schema.Scheduled{
		RowKey: string(key), Url: key.URL(), Site: h.row.Site, Kind: u.row.Kind, Rev: f.rev,
		Class: class, Depth: u.row.Depth, Score: u.row.Score, Fails: u.row.Fails, Hops: u.row.Hops,
		DueAt: u.row.NextDue, NotAfter: t.now + 3*hold.Milliseconds(), FirstContact: first,
		DiscoveredAt: u.row.DiscoveredAt, ScheduledAt: t.now, PoliteKey: h.lane.key,
	}
	if trusted(u.row) {
		s.Etag, s.LastModified = u.row.Etag, u.row.LastModified
	}
	return s
}

// trusted reports whether validators may be sent: only if what they stand for is
// still there. Of a page: the document made from that very answer, else a 304
// would make its loss permanent. Feeds make no documents.
func trusted(row *schema.UrlRow) bool {
	return feedLike(row.Kind) || row.EtagRev > 0 && row.EtagRev == row.DocRev
}

// land ends the flight that an outcome is of.
func (t *task) land(h *host, m *schema.Outcome) {
	key := schema.RowKey(m.RowKey)
	f := t.flights[key]
	if f == nil || m.Rev < f.rev {
		return
	}
	started := m.FetchedAt
	if m.Result == schema.Outcome_DEFERRED {
		started = 0
	}
	if started > 0 && m.ElapsedMs < lead.Milliseconds() {
		t.front.setPace(h.lane, quick, t.now)
	}
	t.unfly(key, f, started)
}

// unfly ends a flight, whose request was started then (0 = never): the entries
// that name its URL are done.
func (t *task) unfly(key schema.RowKey, f *flight, started int64) {
	if f.young {
		f.grow()
	}
	delete(t.flights, key)
	f.host.flights--
	t.group.flying.Add(-1)
	for _, e := range f.entries {
		f.host.finish(e)
	}
	t.front.ended(f.host.lane, started, t.now)
}

// emitLost emits again what has been in flight for longer than fetch may hold it
// and is not in the unread part of urls.scheduled: that part was lost.
func (t *task) emitLost(ctx context.Context) (int, error) {
	t.forgetLanded()
	if !t.anyOverdue() || t.now-t.looked < hold.Milliseconds() {
		return 0, nil
	}
	unread, err := t.unread(ctx)
	if err != nil {
		return 0, err
	}
	t.looked = t.now
	sent := 0
	for ; t.anyOverdue(); t.forgetLanded() {
		age := t.ages[0]
		f := t.flights[age.key]
		if unread[age.key] >= f.rev {
			t.ages = append(t.ages[1:], flightAge{age.key, t.now})
			f.at = t.now
			continue
		}
		known, err := t.urls(ctx, f.host, f.path)
		if err != nil {
			return sent, err
		}
		t.ages = t.ages[1:]
		if t.emitAgain(age.key, f, known[f.path]) {
			sent++
		}
	}
	return sent, nil
}

// forgetLanded takes emissions that need no watching any more off the front.
func (t *task) forgetLanded() {
	for len(t.ages) > 0 {
		if f := t.flights[t.ages[0].key]; f != nil && f.at == t.ages[0].at {
			return
		}
		t.ages = t.ages[1:]
	}
}

func (t *task) anyOverdue() bool {
	return len(t.ages) > 0 && t.ages[0].at+3*hold.Milliseconds() <= t.now
}

// emitAgain gives a lost flight a new rev, or ends it if its URL is not due any
// more.
func (t *task) emitAgain(key schema.RowKey, f *flight, u *url) bool {
	if u == nil || u.row.NextDue == 0 || u.row.NextDue > t.now {
		t.unfly(key, f, 0)
		t.front.place(f.host.lane, t.now)
		return false
	}
	f.rev, f.at = max(u.row.Rev+1, f.rev+1, t.now), t.now
	t.ages = append(t.ages, flightAge{key, t.now})
	t.scheduled.Send(t.message(f.host, u, f, u.row.Class, false))
	return true
}
