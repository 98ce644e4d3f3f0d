package schedule

import (
	"context"
	"errors"

	"millrace/consumers/schedule/calendar"
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams"
)

// timer handles a Tick record, which an owner of this partition sent to the partition itself.
func (t *task) timer(ctx context.Context, in input, m *schema.Tick) error {
	if m.What == schema.Tick_HOLD {
		hold := &schema.PatternHold{}
		if err := hold.UnmarshalVT(m.Cursor); err != nil {
			return streams.DeadLetter("decode", "cursor of a tick: %w", err)
		}
		return t.held(ctx, in, hold)
	}
	c := &schema.WheelCursor{}
	if err := c.UnmarshalVT(m.Cursor); err != nil {
		return streams.DeadLetter("decode", "cursor of a tick: %w", err)
	}
	switch m.What {
	case schema.Tick_WHEEL:
		return t.moveDue(ctx, in, c)
	case schema.Tick_RECOVERED:
		if t.recovery.reached(c.Owner) {
			t.ledger.began = in.ts
			t.group.deps.Logger.Info("frontier ready", "partition", t.p.ID(),
				"hosts", t.ledger.hosts.Len(), "in_flight", t.emission.flights.len())
		}
		return nil
	}
	return streams.DeadLetter("enum", "a tick for %d", m.What)
}

// moveDue moves a part of the past calendar slots to the queues of their hosts, and sends the
// record that continues with the next part.
func (t *task) moveDue(ctx context.Context, in input, c *schema.WheelCursor) error {
	l := t.ledger
	owners := map[schema.Host]*hosts.Host{}
	more, err := l.wheel.Move(ctx, c, in.ts, in.now, func(x calendar.Item) {
		h := owners[x.Host]
		if h == nil { // alive has loaded it: no read, no error
			if h, _ = l.hosts.Get(ctx, x.Host); h == nil {
				return
			}
			owners[x.Host] = h
		}
		if l.hosts.Touch(h, in.ts) {
			l.hosts.Append(h, x.Class, x.Path, in.ts)
		}
	})
	if errors.Is(err, calendar.ErrCursor) {
		return streams.DeadLetter("decode", "cursor of a tick: %w", err)
	}
	if err != nil {
		return err
	}
	for _, h := range owners {
		l.front.Place(h.Lane, l.now)
	}
	if more != nil {
		t.sendTimer(schema.Tick_WHEEL, more)
	}
	return nil
}

// sendTimer sends a Tick record to this partition.
func (t *task) sendTimer(what schema.Tick_What, c *schema.WheelCursor) {
	now := t.ledger.now
	t.ledger.out.discovered.SendTo(t.p.ID(), &schema.Discovered{DiscoveredAt: now, Body: &schema.Discovered_Tick{
		Tick: &schema.Tick{What: what, Cursor: table.Encode(c).Bytes(), At: now}}})
}

// turnWheel loads the calendar slot that begins next, offers the URLs that are due now to their
// hosts, and begins to move past slots.
func (t *task) turnWheel(ctx context.Context) error {
	l := t.ledger
	if err := l.wheel.Load(ctx, l.now); err != nil {
		return err
	}
	err := l.wheel.Ring(l.now, func(x calendar.Item) error {
		h, err := l.hosts.Get(ctx, x.Host)
		if err == nil {
			l.hosts.Offer(h, hosts.Entry{Path: x.Path, Class: uint8(x.Class), Seq: hosts.NoSeq}, l.now)
		}
		return err
	})
	if err != nil {
		return err
	}
	if c := l.wheel.Begin(l.now); c != nil {
		t.sendTimer(schema.Tick_WHEEL, c)
	}
	return nil
}
