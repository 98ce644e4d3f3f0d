package websub

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"millrace/schema"
	"millrace/streams/state"
)

// Subscriber keeps the subscriptions of a crawl. It is safe for concurrent use.
type Subscriber struct {
	opts Options
	deps Deps
	wake chan struct{} // something may be due

	mu    sync.Mutex
	byID  map[string]*subscription
	feeds map[string]*subscription // by row key of the feed; without those that end
	hubs  map[string]time.Time     // when a hub may be asked again, by host
	stamp int64
}

// subscription is a row, and how many contents were pushed in this minute.
type subscription struct {
	row    *schema.SubscriptionRow
	minute int64
	pushes int
}

// Open reads the subscriptions of earlier runs from the store.
func Open(ctx context.Context, o Options, d Deps) (*Subscriber, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := d.validate(); err != nil {
		return nil, err
	}
	s := &Subscriber{opts: o, deps: d, wake: make(chan struct{}, 1), byID: map[string]*subscription{},
		feeds: map[string]*subscription{}, hubs: map[string]time.Time{}}
	for shard := range shards {
		if err := s.read(ctx, shard); err != nil {
			return nil, fmt.Errorf("websub: subscriptions: %w", err)
		}
	}
	return s, nil
}

// shards is the number of partitions of the table.
const shards = 16

func keyOf(id string) state.Key {
	return state.Key{state.Num(int64(schema.Murmur2([]byte(id)) % shards)), state.Str(id)}
}

func (s *Subscriber) read(ctx context.Context, shard int) error {
	const chunk = 500
	var from []state.Value
	for {
		rows, err := s.deps.Store.Slice(ctx, schema.Subscription, state.Key{state.Num(int64(shard))}, from, chunk)
		if err != nil {
			return err
		}
		for _, r := range rows {
			id := r.Key[1].Str()
			from = []state.Value{state.Str(id + "\x00")}
			row := &schema.SubscriptionRow{}
			if err := row.UnmarshalVT(r.Cells[0].Bytes()); err != nil {
				return fmt.Errorf("row %s: %w", id, err)
			}
			if row.Id != id { // ended
				continue
			}
			sub := &subscription{row: row}
			s.byID[id], s.stamp = sub, max(s.stamp, row.At)
			if row.State != schema.SubscriptionRow_ENDING {
				s.feeds[row.Feed] = sub
			}
		}
		if len(rows) < chunk {
			return nil
		}
	}
}

// save writes a row with a new stamp. The caller holds the lock.
func (s *Subscriber) save(ctx context.Context, sub *subscription) error {
	s.stamp = max(s.stamp+1, s.now().UnixMilli())
	sub.row.At = s.stamp
	b, err := sub.row.MarshalVT()
	if err != nil {
		return err
	}
	id := sub.row.Id
	return s.write(ctx, id, b)
}

// writeWithin bounds a write: hubs that call meanwhile wait for it.
const writeWithin = 5 * time.Second

// write writes a row with the newest stamp. The caller holds the lock.
func (s *Subscriber) write(ctx context.Context, id string, row []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	return s.deps.Store.Write(ctx, []state.Mutation{{Table: schema.Subscription, TS: s.stamp, Key: keyOf(id), Cells: state.Cells{state.Bytes(row)}}})
}

// end removes a subscription, and writes an empty row in its place. The caller holds the lock.
func (s *Subscriber) end(ctx context.Context, sub *subscription) error {
	delete(s.byID, sub.row.Id)
	if s.feeds[sub.row.Feed] == sub {
		delete(s.feeds, sub.row.Feed)
	}
	s.stamp = max(s.stamp+1, s.now().UnixMilli())
	empty, err := (&schema.SubscriptionRow{At: s.stamp}).MarshalVT()
	if err != nil {
		return err
	}
	return s.write(ctx, sub.row.Id, empty)
}

func (s *Subscriber) now() time.Time { return s.deps.Clock() }

// Learn takes in a fetched feed: the hub that it names ("" = none), and the address that it gives
// for itself. A feed that names another hub or address than before gets a new subscription, and the
// old one is ended. With Options.Most subscriptions no new one is made.
func (s *Subscriber) Learn(ctx context.Context, feed, hub, self string) error {
	topic := self
	if topic == "" {
		topic = schema.RowKey(feed).URL()
	}
	if !usable(hub) || !usable(topic) {
		hub = ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.feeds[feed]
	switch {
	case old == nil && hub == "":
		return nil
	case old != nil && old.row.Hub == hub && old.row.Topic == topic:
		return nil
	case old != nil:
		delete(s.feeds, feed)
		old.row.State, old.row.NextAt, old.row.Tries = schema.SubscriptionRow_ENDING, s.now().UnixMilli(), 0
		if err := s.save(ctx, old); err != nil {
			return err
		}
	}
	if hub != "" && len(s.byID) < s.opts.Most {
		row := &schema.SubscriptionRow{Id: strings.ToLower(rand.Text()), Feed: feed, Hub: hub, Topic: topic,
			State: schema.SubscriptionRow_WANTED, NextAt: s.now().UnixMilli()}
		if strings.HasPrefix(hub, "https://") { // the secret must not be readable on its way
			row.Secret = rand.Text() + rand.Text()
		}
		sub := &subscription{row: row}
		if err := s.save(ctx, sub); err != nil {
			return err
		}
		s.byID[row.Id], s.feeds[feed] = sub, sub
	}
	s.poke()
	return nil
}

func (s *Subscriber) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// usable reports whether an address can be that of a hub or a topic.
func usable(raw string) bool {
	if len(raw) > schema.MaxURLBytes {
		return false
	}
	u, err := url.Parse(raw)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http")
}

// Line is one subscription in a list.
type Line struct {
	Feed    string `json:"feed"`
	Hub     string `json:"hub"`
	State   string `json:"state"`
	Until   int64  `json:"lease_until_ms,omitempty"`
	Pushes  int64  `json:"pushes"`
	Items   int64  `json:"items"`
	Refused int64  `json:"refused,omitempty"` // contents with a wrong signature
	Problem string `json:"problem,omitempty"`
}

// List returns the subscriptions, sorted by feed, without secrets and callbacks.
func (s *Subscriber) List() []Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []Line{}
	for _, sub := range s.byID {
		r := sub.row
		out = append(out, Line{schema.RowKey(r.Feed).URL(), r.Hub, strings.ToLower(r.State.String()), r.LeaseUntil, r.Pushes, r.Items, r.Refused, r.Problem})
	}
	slices.SortFunc(out, func(a, b Line) int { return strings.Compare(a.Feed+" "+a.State, b.Feed+" "+b.State) })
	return out
}
