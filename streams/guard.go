package streams

import (
	"context"
	"errors"
	"sync"
	"time"
)

// The reasons for which the guard ends a round, and with it the client.
var (
	errExpelled = errors.New("no heartbeat was answered for a whole session: the group goes on without this member")
	errStuck    = errors.New("a round took longer than a rebalance may")
)

// guard bounds the time that a round may take, and keeps the error that ends the session. Safe for
// concurrent use.
type guard struct {
	session time.Duration
	beat    heartbeat

	mu     sync.Mutex
	began  time.Time
	cancel context.CancelCauseFunc // of the round under way; nil between rounds
	failed error                   // the error that ends the session
}

// run runs a round. The round's context ends when the coordinator has not answered for a session,
// or when the round takes longer than the group waits for a member in a rebalance.
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

// fail keeps the first err as the error that ends the session: the next round returns it, or the
// round under way, if one of its appends fails.
func (g *guard) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed == nil {
		g.failed = err
	}
}

// failure returns the error that ends the session, or nil.
func (g *guard) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failed
}

// roundTime returns how long the round under way has taken; 0 if there is none.
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

// watch checks, ten times a session, whether the round under way must be ended, until ctx ends.
// Between rounds it does nothing: there the client itself joins the group anew.
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

// rebalanceTimeout is how long the group waits for a member in a rebalance: four sessions.
func rebalanceTimeout(session time.Duration) time.Duration { return 4 * session }
