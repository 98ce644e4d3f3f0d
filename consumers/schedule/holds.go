package schedule

import (
	"context"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/schema"
	"millrace/streams"
)

// held handles a PatternHold record, which this partition sent to itself: the URLs whose shape is
// closed end with reason trap. The queue entries that were taken for it are finished.
func (t *task) held(ctx context.Context, in input, m *schema.PatternHold) error {
	name := schema.Host(m.Host)
	l := t.ledger
	for _, path := range m.Paths {
		if !wellFormed(path) {
			return streams.DeadLetter("key", "path %.200q", path)
		}
	}
	h, err := l.hosts.Get(ctx, name)
	if err != nil {
		return err
	}
	if _, err := l.hosts.Patterns(ctx, h); err != nil {
		return err
	}
	rows, err := l.urls(ctx, h, m.Paths...)
	if err != nil {
		return err
	}
	var waits map[string]bool // on a replay: the paths that were queued again
	if h.Row.At >= in.ts {
		if waits, err = l.hosts.Waits(ctx, h, m.Paths); err != nil {
			return err
		}
	}
	reasons := map[string]string{}
	for path, u := range rows {
		if reasons[path], err = t.whyAside(ctx, h, u, in.now); err != nil {
			return err
		}
	}
	for _, path := range m.Paths {
		u := rows[path]
		if u != nil && u.row.At < in.ts && u.row.AskedAt == 0 && l.isDue(h, u.row) {
			why := reasons[path]
			if waits != nil && waits[path] {
				why = ""
			}
			t.putAside(in, h, u, why)
		}
		t.emission.holds.finish(schema.JoinRowKey(name, path), h)
	}
	l.front.Place(h.Lane, l.now)
	return nil
}

// whyAside returns the reason for which the patterns keep a URL out; "" if it may be fetched. A URL
// that waits for another one is put off: queued behind all others, once.
func (t *task) whyAside(ctx context.Context, h *hosts.Host, u *url, now int64) (string, error) {
	like, err := t.ledger.likeness(ctx, h, u, t.emission.flies)
	if err != nil || like == repeats {
		return policy.ReasonCopy, err
	}
	if like > single {
		u.row.PutOff, u.row.Class = true, policy.ClassRest+1
	}
	if h.Tree.Closed(u.path, now) {
		return policy.ReasonTrap, nil
	}
	return "", nil
}

// putAside ends a URL for a reason; the shorter URL that has its text is named in its place.
// Without a reason (its shape is open again) the URL is queued again.
func (t *task) putAside(in input, h *hosts.Host, u *url, reason string) {
	l := t.ledger
	before := tallyOf(u.row)
	first := l.hosts.Touch(h, in.ts)
	if reason != "" {
		e := l.opts.Aside(u.row, reason, u.key(h), in.now)
		l.queueUp(in, h, u, e.Due, e.Class, first)
	} else {
		u.row.Status, u.row.Reason = schema.UrlRow_QUEUED, ""
		l.queueUp(in, h, u, in.now, u.row.Class, first)
	}
	l.write(h, u, before, in, first)
}

// holds are the URLs of closed shapes that were taken from their queues. The PatternHold record
// that ends them is not sent or not handled yet.
type holds struct {
	taken map[schema.RowKey][]hosts.Entry
	sent  map[schema.Host][]string // to be sent at the end of this Tick
}

func newHolds() *holds {
	return &holds{map[schema.RowKey][]hosts.Entry{}, map[schema.Host][]string{}}
}

// take notes an entry that was taken from its queue. The first entry of a URL adds it to the record
// to send.
func (s *holds) take(h *hosts.Host, key schema.RowKey, x hosts.Entry) {
	if _, ok := s.taken[key]; !ok {
		s.sent[h.Name] = append(s.sent[h.Name], x.Path)
	}
	s.taken[key] = append(s.taken[key], x)
}

func (s *holds) has(key schema.RowKey) bool { return s.taken[key] != nil }

// finish finishes the entries of a URL whose PatternHold was handled.
func (s *holds) finish(key schema.RowKey, h *hosts.Host) {
	for _, x := range s.taken[key] {
		h.Finish(x)
	}
	delete(s.taken, key)
}

// sendHolds sends the PatternHold records of this Tick, at most 64 paths each.
func (e *emission) sendHolds() {
	for host, paths := range e.holds.sent {
		for len(paths) > 0 {
			n := min(len(paths), 64)
			m := &schema.PatternHold{Host: string(host), Paths: paths[:n]}
			b, err := m.MarshalVT()
			if err != nil { // only for a buffer that is too small, and it is not
				return
			}
			now := e.ledger.now
			e.ledger.out.discovered.SendTo(e.p.ID(), &schema.Discovered{Host: string(host), DiscoveredAt: now,
				Body: &schema.Discovered_Tick{Tick: &schema.Tick{What: schema.Tick_HOLD, Cursor: b, At: now}}})
			paths = paths[n:]
		}
		delete(e.holds.sent, host)
	}
}
