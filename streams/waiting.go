package streams

import (
	"context"
	"sync"
	"time"
)

// waker ends a poll early.
type waker struct {
	mu     sync.Mutex
	cancel context.CancelFunc
	due    bool
}

// watch registers cancel, which ends the poll under way, until the returned function is called. If
// now was called since the last poll, it ends this one at once.
func (w *waker) watch(cancel context.CancelFunc) (done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.due {
		cancel()
	}
	w.due, w.cancel = false, cancel
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.cancel = nil
	}
}

// now ends the poll under way, or, if there is none, the next one.
func (w *waker) now() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel == nil {
		w.due = true
		return
	}
	w.cancel()
}

// sleep waits for d. If ctx ends first, it returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// backoff is the pause before something that failed is tried again: retryFirst, doubled with each
// failure in a row, up to a maximum.
type backoff struct {
	wait  time.Duration
	until time.Time
}

func (b *backoff) failed(now time.Time, most time.Duration) {
	b.wait = min(max(2*b.wait, retryFirst), most)
	b.until = now.Add(b.wait)
}

func (b *backoff) clear() { *b = backoff{} }

func (b *backoff) rests(now time.Time) bool { return now.Before(b.until) }
