package websub

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"millrace/schema"
)

// Run sends the requests to hubs when they are due, until ctx ends.
func (s *Subscriber) Run(ctx context.Context) error {
	for {
		wait := s.step(ctx)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-s.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// longest is the longest pause between two checks of what is due.
const longest = 30 * time.Second

// step asks the hub that is due first, and returns how long to wait before the next step.
func (s *Subscriber) step(ctx context.Context) time.Duration {
	sub, wait := s.due()
	if sub == nil {
		return wait
	}
	status, err := s.ask(ctx, sub)
	if ctx.Err() != nil {
		return 0
	}
	if err := s.asked(ctx, sub, status, err); err != nil {
		s.deps.Log.Warn("subscription not written, trying again", "feed", sub.Feed, "error", err)
		return time.Second
	}
	return 0
}

// due returns a copy of the subscription that is due first, and notes when its hub may be asked
// again; nil and the time to wait if none is due.
func (s *Subscriber) due() (*schema.SubscriptionRow, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, wait := s.now(), longest
	var first *subscription
	for _, sub := range s.byID {
		at := time.UnixMilli(sub.row.NextAt)
		if free := s.hubs[hostOf(sub.row.Hub)]; free.After(at) {
			at = free
		}
		if at.After(now) {
			wait = min(wait, at.Sub(now))
		} else if first == nil || sub.row.NextAt < first.row.NextAt {
			first = sub
		}
	}
	if first == nil {
		return nil, max(wait, 10*time.Millisecond)
	}
	if len(s.hubs) > s.opts.Most {
		clear(s.hubs)
	}
	s.hubs[hostOf(first.row.Hub)] = now.Add(s.opts.Pause)
	// The hub may verify while the request is still open, so the state must be ASKED before it is
	// sent.
	if st := first.row.State; st == schema.SubscriptionRow_WANTED || st == schema.SubscriptionRow_DENIED {
		first.row.State = schema.SubscriptionRow_ASKED
	}
	first.row.NextAt = now.Add(s.opts.Verify).UnixMilli()
	return first.row.CloneVT(), 0
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return u.Host
}

// ask sends one request to a hub (section 5.1).
func (s *Subscriber) ask(ctx context.Context, row *schema.SubscriptionRow) (status int, err error) {
	form := url.Values{"hub.callback": {s.opts.callback(row.Id)}, "hub.mode": {"subscribe"}, "hub.topic": {row.Topic},
		"hub.lease_seconds": {strconv.Itoa(int(s.opts.Lease.Seconds()))}}
	if row.Secret != "" {
		form.Set("hub.secret", row.Secret)
	}
	if row.State == schema.SubscriptionRow_ENDING {
		form.Set("hub.mode", "unsubscribe")
		form.Del("hub.lease_seconds")
		form.Del("hub.secret")
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, row.Hub, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("User-Agent", s.deps.Agent)
	answer, err := s.deps.Client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 4<<10))
	return answer.StatusCode, nil
}

// asked notes the answer to a request. Changes that the hub made through the callback meanwhile are
// kept.
func (s *Subscriber) asked(ctx context.Context, was *schema.SubscriptionRow, status int, problem error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := s.byID[was.Id]
	if sub == nil || was.State == schema.SubscriptionRow_ENDING && sub.row.State != was.State {
		return nil
	}
	row, ok := sub.row, problem == nil && status/100 == 2
	if was.State == schema.SubscriptionRow_ENDING && (ok && row.LeaseUntil == 0 || row.Tries >= 4) {
		return s.end(ctx, sub) // nothing was verified, or the hub is gone: the lease ends by itself
	}
	if row.LeaseUntil > was.LeaseUntil { // verified meanwhile
		return s.save(ctx, sub)
	}
	row.Tries++
	row.NextAt = max(s.now().Add(pauseAfter(row.Tries)).UnixMilli(), row.NextAt)
	switch {
	case ok:
		row.Problem = ""
	case problem != nil:
		row.Problem = clip(problem.Error())
	default:
		row.Problem = fmt.Sprintf("the hub answered %d", status)
	}
	return s.save(ctx, sub)
}

// pauseAfter returns the pause after a number of failed tries: 1, 5, 25 minutes and so on, at most
// a day.
func pauseAfter(tries int32) time.Duration {
	pause := time.Minute
	for i := int32(1); i < tries && pause < 24*time.Hour; i++ {
		pause *= 5
	}
	return min(pause, 24*time.Hour)
}

func clip(s string) string {
	s = strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s), "?")
	return s[:min(len(s), 200)]
}
