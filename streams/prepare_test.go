package streams_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// preparing is a copier that implements Preparer.
type preparing struct {
	copier
	known map[int64]bool
	fail  func() error
}

func (p *preparing) Prepare(_ context.Context, records []*streams.Record[*schema.Page]) error {
	for _, r := range records {
		p.known[r.Offset] = true
	}
	return p.fail()
}

func TestEveryRecordIsPreparedBeforeItIsHandled(t *testing.T) {
	for name, fail := range map[string]func() error{
		"well":        func() error { return nil },
		"an error":    func() error { return errors.New("no store") },
		"it panicked": func() error { panic("no store") },
	} {
		t.Run(name, func(t *testing.T) {
			opts := streamstest.Options(t)
			const n = 40
			producePages(t, opts, 0, n)
			var handled atomic.Int64
			done := make(chan struct{})
			stop := streamstest.Start(t, streamstest.Config(opts), extractGroup(t), topics.Pages(),
				func(p *streams.Partition) streams.Task[*schema.Page] {
					task := &preparing{known: map[int64]bool{}, fail: fail}
					task.out = streams.NewEmitter(p, "extract", topics.Extracted())
					task.seen = func(r *streams.Record[*schema.Page]) error {
						if !task.known[r.Offset] {
							t.Errorf("record %d was not prepared", r.Offset)
						}
						if handled.Add(1) == n {
							close(done)
						}
						return nil
					}
					return task
				})
			<-done
			stop()
		})
	}
}
