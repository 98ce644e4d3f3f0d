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

// watch makes cancel the way to end the poll at work, until the returned function
// is called.
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

// now ends the poll at work, or the next one.
func (w *waker) now() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel == nil {
		w.due = true
		return
	}
	w.cancel()
}

// sleep waits for d, or returns the error of ctx when it ends before.
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

// backoff says when something that failed is tried again.
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
