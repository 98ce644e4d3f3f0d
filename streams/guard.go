package streams

import (
	"context"
	"errors"
	"sync"
	"time"
)

// The reasons why a member gives its client up.
var (
	errExpelled = errors.New("no heartbeat was answered for a whole session: the group goes on without this member")
	errStuck    = errors.New("a round took longer than a rebalance may")
)

// guard bounds rounds: nobody waits for ever. Safe for concurrent use.
type guard struct {
	session time.Duration
	beat    heartbeat

	mu     sync.Mutex
	began  time.Time
	cancel context.CancelCauseFunc // of the round at work; nil between rounds
	failed error                   // what ends the session
}

// run runs a round. Its context ends when the member is expelled, or when the
// round takes longer than the group waits for a member in a rebalance.
func (g *guard) run(ctx context.Context, round func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g.set(cancel)
	defer g.set(nil)
	return round(ctx)
}

func (g *guard) set(cancel context.CancelCauseFunc) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.began, g.cancel = time.Now(), cancel
}

// fail ends the session with err: the round at work, or the next one, returns it.
func (g *guard) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed == nil {
		g.failed = err
	}
}

// failure returns what ends the session, or nil.
func (g *guard) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failed
}

// roundTime is how long the round at work has taken, and 0 if there is none.
func (g *guard) roundTime() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cancel == nil {
		return 0
	}
	return time.Since(g.began)
}

func (g *guard) abort(why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cancel != nil {
		g.cancel(why)
	}
}

// watch looks after the rounds until ctx ends. Only a round that lasts is ended:
// between rounds the client joins anew by itself.
func (g *guard) watch(ctx context.Context) {
	every := g.session / 10
	for sleep(ctx, every) == nil {
		took := g.roundTime()
		switch {
		case took > rebalanceTimeout(g.session):
			g.abort(errStuck)
		case took > every && g.beat.silent():
			g.abort(errExpelled)
		}
	}
}

// rebalanceTimeout is how long the group waits for a member in a rebalance.
func rebalanceTimeout(session time.Duration) time.Duration { return 4 * session }
