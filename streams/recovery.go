package streams

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// recovery is the first state of a partition: recovering → ready → leaving. It runs in a goroutine
// beside the loop, so that the partitions of a member recover at the same time, each takes part in
// rounds as soon as it is ready, and a rebalance that does not move the partition does not disturb
// it.
type recovery struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the recovery has ended; from then on the loop owns the Task
	err    error         // why it was given up: the partition was taken away
	begin  int64         // where the Task begins
}

// recoverAtOnce bounds the recoveries of a member that run at the same time.
const recoverAtOnce = 16

// recover prepares the Task. It tries again until it succeeds or the partition is taken away.
// before is an earlier work of the same partition that was never revoked, or nil; it is ended as
// lost first.
func (t *tasks[M]) recover(ctx context.Context, w, before *work[M]) {
	defer t.wake.now()
	defer close(w.recovery.done)
	if before != nil {
		t.endBefore(ctx, before)
	}
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
	case <-ctx.Done():
		w.recovery.err = ctx.Err()
		return
	}
	var wait backoff
	for {
		err := safely(func() error { return w.begin(ctx) })
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			w.recovery.err = errors.Join(ctx.Err(), err)
			return
		}
		w.failed(&wait, retryMost, fmt.Errorf("recover: %w", err))
		if w.recovery.err = sleep(ctx, wait.wait); w.recovery.err != nil {
			return
		}
	}
}

// endBefore ends an earlier work of the same partition as lost. Its recovery is ended before the
// lock is taken: that recovery may wait for the same lock, to end a work before it.
func (t *tasks[M]) endBefore(ctx context.Context, before *work[M]) {
	before.recovery.cancel()
	select {
	case <-before.recovery.done:
	case <-ctx.Done():
	}
	within, cancel := context.WithTimeout(ctx, t.patience())
	defer cancel()
	t.progress.Lock() // a round with it may be under way
	defer t.progress.Unlock()
	before.leave(within, true)
}

// begin finds out which log the partition holds, calls Recover, and decides at which offset the
// partition begins: the Task's, else the commit's, else the start of the log.
func (w *work[M]) begin(ctx context.Context) error {
	from, err := w.r.marks.identify(ctx, w)
	if err != nil {
		return err
	}
	at, err := w.task.Recover(ctx)
	if err != nil {
		return err
	}
	own := at != Committed
	if !own {
		at = from.begin
	}
	if at < 0 {
		if at, err = w.r.reader.Start(ctx, w.r.reads, w.id); err != nil {
			return err
		}
	}
	w.resumed = Progress{Offset: at}
	if w.committed.Offset == at && w.committed.era() == w.mark.Era {
		w.resumed = w.committed
	}
	w.resumed.Era = w.mark.Era
	w.recovery.begin, w.track = at, newTracker(w.resumed)
	switch {
	case from.raised || from.lost > 0 || w.committed.era() != w.mark.Era, // the commit names another log
		own && w.committed.Offset < 0: // or there is none: commit at once
		w.saved.set(savedProgress{offset: Committed})
	case w.committed.Offset >= 0:
		w.saved.set(savedProgress{w.committed.Offset, w.committed.Metadata()})
	default:
		w.saved.set(savedProgress{at, w.resumed.Metadata()})
	}
	return nil
}

// recovered reports whether the recovery has ended without an error.
func (w *work[M]) recovered() bool {
	select {
	case <-w.recovery.done:
		return w.recovery.err == nil
	default:
		return false
	}
}

// leave ends the Task, once. It cancels a recovery that is under way and waits for its end. If ctx
// ends first, a goroutine beside the loop waits and revokes the Task then, as lost. After a loss no
// more records are marked as done.
func (w *work[M]) leave(ctx context.Context, lost bool) {
	w.left.Do(func() {
		if lost {
			w.revoked.Store(true)
		}
		w.recovery.cancel()
		select {
		case <-w.recovery.done:
			w.revoke(ctx, lost)
		case <-ctx.Done():
			w.r.log.Warn("a recovery does not end: its partition is left without it", "partition", w.id)
			w.r.side.Go(func() {
				<-w.recovery.done
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				w.revoke(ctx, true)
			})
		}
		w.revoked.Store(true)
		if lost {
			w.r.log.Warn("partition lost", "partition", w.id)
		}
	})
}

func (w *work[M]) revoke(ctx context.Context, lost bool) {
	err := safely(func() error { w.task.Revoke(ctx, lost); return nil })
	if err != nil {
		w.r.log.Error("a Task did not end in order", "partition", w.id, "error", err)
	}
}
