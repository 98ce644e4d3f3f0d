package streams

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"millrace/schema"
	"millrace/topics"
)

// away is a Task whose store does not answer. It counts its revocations.
type away struct {
	Task[*schema.Page]
	revoked *atomic.Int64
}

func (a away) Recover(ctx context.Context) (int64, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func (a away) Revoke(context.Context, bool) { a.revoked.Add(1) }

// A partition is assigned three times, and the client tells of no revocation between. The third
// work ends the second, which may not even have begun to end the first: neither waits for the
// other.
func TestWorksOfOnePartitionEndOneAnother(t *testing.T) {
	g, err := topics.GroupNamed("extract")
	if err != nil {
		t.Fatal(err)
	}
	var revoked atomic.Int64
	r := newRunner(DefaultConfig(), g, topics.Pages(), func(*Partition) Task[*schema.Page] { return away{revoked: &revoked} }, "")
	r.counts[r.reads] = 1
	r.side.ctx, r.side.stop = context.WithCancel(t.Context())
	ts := &r.tasks
	assign := func() (w, before *work[*schema.Page], start func()) {
		w = ts.newWork(0)
		before = ts.add(w)
		ctx, cancel := context.WithCancel(r.side.ctx)
		w.recovery = recovery{cancel: cancel, done: make(chan struct{})}
		return w, before, func() { ts.recover(ctx, w, before) }
	}
	first, _, recoverFirst := assign()
	second, _, recoverSecond := assign()
	third, _, recoverThird := assign()
	taken := make(chan struct{})
	end := second.recovery.cancel
	second.recovery.cancel = func() { end(); close(taken); second.recovery.cancel = end }
	r.side.Go(recoverFirst)
	r.side.Go(recoverThird)
	<-taken // the third is at it; only now the second begins, to end the first
	r.side.Go(recoverSecond)
	for _, w := range []*work[*schema.Page]{first, second} {
		<-w.recovery.done
	}
	ts.dropAll()
	<-third.recovery.done
	if !errors.Is(third.recovery.err, context.Canceled) {
		t.Errorf("the third recovery ended with %v", third.recovery.err)
	}
	r.side.stop()
	r.side.Wait()
	if n := revoked.Load(); n != 3 {
		t.Errorf("%d of 3 Tasks were revoked", n)
	}
}
