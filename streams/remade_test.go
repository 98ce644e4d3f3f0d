package streams_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// appender is a Task like that of fetch: it appends beside the rounds, and tries again until it
// succeeds.
type appender struct {
	streams.Plain[*schema.Page]
	p    *streams.Partition
	out  streams.Emitter[*schema.Extracted]
	done func()

	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup
}

func (a *appender) Handle(_ context.Context, r *streams.Record[*schema.Page]) error {
	if a.ctx == nil {
		a.ctx, a.stop = context.WithCancel(context.Background())
	}
	at := r.Offset
	a.work.Go(func() {
		for a.ctx.Err() == nil {
			ack := make(chan error, 1)
			a.out.SendNow(&schema.Extracted{Body: &schema.Extracted_Gone{Gone: &schema.Gone{RowKey: r.Value.RowKey, Site: "a.test"}}},
				func(err error) { ack <- err })
			select {
			case err := <-ack:
				if err == nil {
					a.p.Done(at)
					a.done()
					return
				}
			case <-a.ctx.Done():
				return
			}
			select {
			case <-a.ctx.Done():
			case <-time.After(10 * time.Millisecond): // as fetch does
			}
		}
	})
	return nil
}

func (a *appender) Revoke(context.Context, bool) {
	if a.stop != nil {
		a.stop()
	}
	a.work.Wait()
}

// A topic that a group appends to is deleted and made anew while the group runs: its records arrive
// in the new topic, though the client that it began with knows only the old one.
func TestAppendsGoOnWhenTheirTopicWasMadeAnew(t *testing.T) {
	opts := streamstest.Options(t)
	g := topics.Group{Name: "extract", Reads: topics.Pages().Name, Writes: []string{topics.Extracted().Name}, Delivery: topics.Async}
	through := make(chan struct{}, 100)
	stop := streamstest.Start(t, streamstest.Config(opts), g, topics.Pages(), func(p *streams.Partition) streams.Task[*schema.Page] {
		return &appender{p: p, out: streams.NewEmitter(p, "extract", topics.Extracted()), done: func() { through <- struct{}{} }}
	})
	defer stop()
	hostPages(t, opts, 0, 3)
	for range 3 {
		<-through
	}
	streamstest.Remake(t, opts, topics.Extracted().Name)
	hostPages(t, opts, 3, 6)
	for range 3 {
		<-through
	}
}
