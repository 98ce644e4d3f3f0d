package streams_test

import (
	"context"
	"testing"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// sleeper is a Task of a Timed group that has nothing to do by the clock.
type sleeper struct {
	copier
	ticks chan<- time.Time
}

func (s *sleeper) Tick(_ context.Context, now time.Time) error {
	if s.ticks != nil {
		s.ticks <- now
	}
	return nil
}

func (s *sleeper) RestsUntil(now time.Time) time.Time { return now.Add(time.Hour) }

// A member that has done and committed everything calls Tick a twentieth as often, with and without
// a clock, and goes on with the next record.
func TestAMemberWithNothingToDoRests(t *testing.T) {
	for _, timed := range []bool{false, true} {
		opts := streamstest.Options(t)
		producePages(t, opts, 0, 10)
		cfg, g := streamstest.Config(opts), extractGroup(t)
		g.Timed = timed
		ticks := make(chan time.Time)
		stop := streamstest.Start(t, cfg, g, topics.Pages(), func(p *streams.Partition) streams.Task[*schema.Page] {
			c := copier{out: streams.NewEmitter(p, "extract", topics.Extracted()), seen: func(*streams.Record[*schema.Page]) error { return nil }}
			if p.ID() == 0 {
				return &sleeper{c, ticks}
			}
			return &sleeper{c, nil}
		})
		last := <-ticks
		for n, rests := 0, 0; rests < 3; n++ {
			now := <-ticks
			if rests++; now.Sub(last) < 15*cfg.TickEvery {
				rests = 0
			}
			if last = now; n == 2000 {
				t.Fatalf("by the clock %t: after %d Ticks it does not rest", timed, n)
			}
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for range ticks { // until the member has left
			}
		}()
		producePages(t, opts, 10, 20)
		wantKeys(t, opts, 20)
		stop()
		close(ticks)
		<-ended
	}
}
