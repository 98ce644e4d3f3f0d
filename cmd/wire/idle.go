package wire

import (
	"context"
	"slices"
	"time"

	"millrace/consumers/index"
	"millrace/consumers/schedule"
	"millrace/streams"
)

// idleEvery is the time between two checks of Idle.
const idleEvery = 200 * time.Millisecond

// Idle returns when there is nothing left to do. That is when two checks in a row find that every
// group has done all records of its topic, no record came in between, no URL is queued or in
// flight, no first fetch, retry or deferral is due within IdleWait, the index has all link texts,
// and exact ranks are published. Re-crawls do not count. All groups must run in this process.
func (s *survey) Idle(ctx context.Context) error {
	tick := time.NewTicker(idleEvery)
	defer tick.Stop()
	var last map[string]int64
	for {
		now := s.Reader.Positions(ctx)
		if s.Config.NoIndex {
			now.Groups = slices.DeleteFunc(now.Groups, func(g streams.GroupLag) bool { return g.Group == index.Group })
		}
		ends, quiet := ends(now), quiet(now) && s.resting() && s.linksFollowed(ctx) && s.ranked()
		if quiet && same(last, ends) {
			return nil
		}
		if last = nil; quiet {
			last = ends
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// resting reports whether the frontier has nothing to do but re-crawls, or has fetched max-pages.
func (s *survey) resting() bool {
	f := s.Status()
	if f.Recovering > 0 || f.Partitions < int(s.Meta.HostPartitions) || f.InFlight > 0 {
		return false
	}
	if f.Full {
		return true
	}
	return f.Queued == 0 && f.Ready == 0 && f.Waiting == 0 && !s.dueSoon(f)
}

// ranked reports whether exact ranks are published, and asks for them if not.
func (s *survey) ranked() bool {
	if s.groups.ranks.Status().Settled {
		return true
	}
	s.groups.ranks.Finish()
	return false
}

func (s *survey) dueSoon(f schedule.Status) bool {
	return !f.Next.IsZero() && f.Next.Before(time.Now().Add(s.Config.IdleWait))
}

// quiet reports whether every group has done all records, and all positions could be read.
func quiet(lag streams.Lag) bool {
	for _, g := range lag.Groups {
		if g.Records > 0 {
			return false
		}
	}
	return len(lag.Errors) == 0
}

func ends(lag streams.Lag) map[string]int64 {
	out := map[string]int64{}
	for _, g := range lag.Groups {
		for _, p := range g.Partitions {
			out[g.Topic] += p.End
		}
	}
	return out
}

func same(a, b map[string]int64) bool {
	if a == nil || len(a) != len(b) {
		return false
	}
	for k, v := range b {
		if a[k] != v {
			return false
		}
	}
	return true
}
