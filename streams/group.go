package streams

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// The pause before a member that failed joins anew.
const (
	rejoinFirst = 250 * time.Millisecond
	rejoinMost  = 5 * time.Second
)

// Run is a member of group g until ctx ends: it gives every partition that it is assigned a Task
// from start, and leaves the group in order. A member that fails (expelled, a round too long, no
// broker answers) drops its Tasks, leaves, and joins anew with a fresh client. Run returns nil when
// ctx ends, or an error that a fresh client would meet again.
func Run[M topics.Message](ctx context.Context, cfg Config, g topics.Group, t topics.Topic[M], start func(*Partition) Task[M]) error {
	log := cfg.Logger.With("group", g.Name)
	id := transactionalID(cfg, g)
	for pause := rejoinFirst; ; pause = min(2*pause, rejoinMost) {
		began := time.Now()
		err := newRunner(cfg, g, t, start, id).session(ctx)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if endsRun(err) {
			return fmt.Errorf("group %s: %w", g.Name, err)
		}
		if time.Since(began) > 2*cfg.Session {
			pause = rejoinFirst
		}
		cfg.Meter.count(g.Name, "rejoined", "", 1)
		wait := spread(pause)
		log.Warn("member made no progress: it leaves its group and joins anew", "error", err, "wait", wait)
		if sleep(ctx, wait) != nil {
			return nil
		}
	}
}

// spread returns a random duration around pause, from half of it to one and a half. What ends one
// member, as a broker that stops does, ends others at the same moment: they come back apart, not
// all in one rush, again and again.
func spread(pause time.Duration) time.Duration { return pause/2 + mathrand.N(pause) }

// transactionalID names a member's transactions. It stays the same when the member joins anew, and
// for a static member after a restart, so that the brokers abort at once what an earlier client
// left open. No other member has it, even if it starts at the same moment: two members with one ID
// abort each other's transactions.
func transactionalID(cfg Config, g topics.Group) string {
	if cfg.Static {
		return topics.TransactionPrefix(g.Name) + cfg.Member
	}
	return topics.TransactionPrefix(g.Name) + rand.Text()
}

// runner is one member of a group with one client: it runs the rounds. Its parts: tasks starts and
// ends the Tasks of partitions, marks identifies their logs, commits and txns commit progress, wait
// holds partitions back while readers are behind.
type runner[M topics.Message] struct {
	*member
	topic   topics.Topic[M]
	tasks   tasks[M]
	marks   marker[M]
	commits committer[M]
	txns    transactions[M]
	wait    *backlog

	// Of the loop alone.
	workers workers
	pace    pace
	ahead   ahead
	unpack  *unpacker
}

func newRunner[M topics.Message](cfg Config, g topics.Group, t topics.Topic[M], start func(*Partition) Task[M], txnID string) *runner[M] {
	m := newMember(cfg, g, t.Name)
	r := &runner[M]{
		member: m, topic: t,
		marks: marker[M]{member: m}, commits: committer[M]{member: m}, txns: transactions[M]{member: m, id: txnID},
	}
	r.tasks = tasks[M]{member: m, places: newPlaces[M](), r: r, start: start}
	return r
}

// session is the life of one client: join, rounds, leave.
func (r *runner[M]) session(ctx context.Context) error {
	if err := r.open(ctx); err != nil {
		if isAway(err) {
			return err
		}
		return &finalError{err}
	}
	err := r.loop(ctx)
	r.close(err != nil)
	return err
}

// loop runs rounds until ctx ends or a round fails. A round under way gets StopWithin to finish.
func (r *runner[M]) loop(ctx context.Context) error {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(r.cfg.StopWithin, cancel) })()
	for ctx.Err() == nil {
		fetches, err := r.poll(ctx)
		if err == nil {
			err = r.guard.run(work, func(ctx context.Context) error { return r.round(ctx, fetches) })
		}
		r.waiting.Store(false)
		r.cl.AllowRebalance()
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// poll waits for records, at most until the next Tick. It blocks rebalances until AllowRebalance.
func (r *runner[M]) poll(ctx context.Context) (kgo.Fetches, error) {
	ctx, cancel := context.WithTimeout(ctx, r.pace.tick(r.cfg.TickEvery, r.spec.Timed)+r.spec.Gathers)
	defer cancel()
	defer r.wake.watch(cancel)()
	r.pace.gather(ctx, r.spec.Gathers)
	fetches := r.fetch(ctx)
	if fetches.IsClientClosed() {
		return nil, kgo.ErrClientClosed
	}
	if fetches.Empty() { // a poll with a context that has ended blocks rebalances and returns
		r.cl.PollRecords(ended(), 1)
	}
	r.unpack.drained()
	return fetches, nil
}

// ended returns a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func (r *runner[M]) roundSize() int {
	if n := r.spec.Round; n > 0 {
		return min(n, r.cfg.MaxRecords)
	}
	return r.cfg.MaxRecords
}

// isAway reports whether an error says that brokers are not there now, or not yet: they come back,
// and the member goes on with the transactional ID it has. With another one, what it left open at
// the brokers would be nobody's until it times out.
func isAway(err error) bool {
	var network net.Error
	switch {
	case whyUnreachable(err) != "" || topicGone(err):
		return false
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, context.DeadlineExceeded):
		return true
	}
	return kerr.IsRetriable(err)
}

// finalError is an error that a fresh client would meet again.
type finalError struct{ err error }

func (e *finalError) Error() string { return e.err.Error() }
func (e *finalError) Unwrap() error { return e.err }

// endsRun reports whether an error ends Run, instead of only its client.
func endsRun(err error) bool {
	var final *finalError
	return errors.As(err, &final) || refused(err) || Denied(err)
}
