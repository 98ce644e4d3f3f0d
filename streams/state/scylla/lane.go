package scylla

import (
	"context"
	"errors"
	"sync"
	"time"

	"millrace/streams/state"
)

// patience is the longest time that a call waits for others of its lane: a node that is slow or
// down holds up the call that asks it, and nobody else for long.
const patience = 10 * time.Millisecond

// lane puts together what calls of many goroutines ask of one table. A call that finds nothing
// under way departs at once; those that come meanwhile wait until an answer is there, at most
// patience, and depart together. The partitions of a group ask at the same moment, for a few rows
// each.
type lane[T any] struct {
	fly    func(ctx context.Context, items []T) []error // sends what departs; the error of each item, nil if none failed
	flight *flights

	mu      sync.Mutex
	waiting []*ticket[T]
	flying  int         // departed, not answered
	late    *time.Timer // ends the wait; nil if nobody waits
}

// ticket is the items of one call.
type ticket[T any] struct {
	ctx   context.Context
	items []T
	done  chan struct{} // closed when err is set
	err   error
}

// flights are what is under way in the lanes of a store. They do not end with the call that began
// them: others may be on board.
type flights struct {
	sync.WaitGroup
	ctx  context.Context
	stop context.CancelFunc
}

func newFlights() *flights {
	ctx, stop := context.WithCancel(context.Background())
	return &flights{ctx: ctx, stop: stop}
}

// send returns when the items of this call were sent and answered, or with an error of their own.
// After the end of ctx they may still be under way.
func (l *lane[T]) send(ctx context.Context, items []T) error {
	t := &ticket[T]{ctx: ctx, items: items, done: make(chan struct{})}
	l.mu.Lock()
	l.waiting = append(l.waiting, t)
	switch {
	case l.flying == 0:
		l.depart()
	case l.late == nil:
		l.late = time.AfterFunc(patience, l.overdue)
	}
	l.mu.Unlock()
	select {
	case <-t.done:
		return t.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// overdue departs although nothing was answered.
func (l *lane[T]) overdue() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late = nil
	l.depart()
}

// depart sends what waits; by mu.
func (l *lane[T]) depart() {
	if l.late != nil {
		l.late.Stop()
		l.late = nil
	}
	board := l.waiting
	if l.waiting = nil; len(board) == 0 {
		return
	}
	l.flying++
	l.flight.Go(func() {
		l.carry(board)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.flying--
		l.depart()
	})
}

// carry sends the items of several calls. A call of which an item was refused for good is sent
// again alone, so that what is wrong with one call is the error of that one.
func (l *lane[T]) carry(board []*ticket[T]) {
	var here []*ticket[T]
	var items []T
	for _, t := range board {
		if t.err = t.ctx.Err(); t.err != nil { // nobody waits for it any more
			close(t.done)
			continue
		}
		here, items = append(here, t), append(items, t.items...)
	}
	if len(here) == 0 {
		return
	}
	errs := l.fly(l.flight.ctx, items)
	for _, t := range here {
		if errs != nil {
			t.err, errs = first(errs[:len(t.items)]), errs[len(t.items):]
		}
		if len(here) > 1 && errors.Is(t.err, state.ErrInvalid) {
			t.err = first(l.fly(l.flight.ctx, t.items))
		}
		close(t.done)
	}
}
