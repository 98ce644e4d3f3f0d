package onerun

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"millrace/schema"
	"millrace/streams/state"
)

var (
	errStore = errors.New("simulated: the store failed")
	errFull  = errors.New("simulated: no space left on device")
)

// shaky is the store as one process sees it.
type shaky struct {
	state.Store
	gate   *gate
	chunks *chunks

	mu    sync.Mutex
	r     *rand.Rand
	fails time.Time // until then every second call fails
	slow  time.Time
	full  time.Time
}

// trouble is the fault of one call: a wait, an error, or a full disk.
type trouble struct {
	wait       time.Duration
	fail, half bool // it fails, having done a part
	full       bool
}

func (s *shaky) draw() trouble {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	t := trouble{full: now.Before(s.full)}
	if now.Before(s.slow) {
		t.wait = time.Duration(s.r.Int64N(int64(3 * time.Second)))
	}
	if now.Before(s.fails) {
		t.fail, t.half = s.r.IntN(2) == 0, s.r.IntN(2) == 0
	}
	return t
}

// before runs at the start of every call: it passes the gate, draws the trouble of the call, and
// waits.
func (s *shaky) before(ctx context.Context) (trouble, error) {
	if err := s.gate.pass(ctx.Done()); err != nil {
		return trouble{}, s.failed(ctx, err)
	}
	t := s.draw()
	if t.wait > 0 {
		timer := time.NewTimer(t.wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return t, ctx.Err()
		}
	}
	return t, nil
}

func (s *shaky) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, errUnreachable) {
		return state.ErrClosed // the process is gone: nobody tries again
	}
	return err
}

func (s *shaky) Get(ctx context.Context, t *schema.Table, key state.Key) (state.Cells, error) {
	if x, err := s.before(ctx); err != nil || x.fail {
		return nil, errors.Join(err, failure(x))
	}
	return s.Store.Get(ctx, t, key)
}

func (s *shaky) GetMany(ctx context.Context, t *schema.Table, key state.Key, last []state.Value) ([]state.Row, error) {
	if x, err := s.before(ctx); err != nil || x.fail {
		return nil, errors.Join(err, failure(x))
	}
	return s.Store.GetMany(ctx, t, key, last)
}

func (s *shaky) Slice(ctx context.Context, t *schema.Table, partition state.Key, from []state.Value, limit int) ([]state.Row, error) {
	if x, err := s.before(ctx); err != nil || x.fail {
		return nil, errors.Join(err, failure(x))
	}
	return s.Store.Slice(ctx, t, partition, from, limit)
}

// Write may fail before, in the middle of, and after its groups.
func (s *shaky) Write(ctx context.Context, groups ...[]state.Mutation) error {
	x, err := s.before(ctx)
	switch {
	case err != nil:
		return err
	case x.full:
		return errFull
	case x.fail && x.half && len(groups) > 0:
		s.mu.Lock()
		n := s.r.IntN(len(groups) + 1)
		s.mu.Unlock()
		s.chunks.wrote(groups[:n])
		return errors.Join(errStore, s.Store.Write(ctx, groups[:n]...))
	case x.fail:
		return errStore
	}
	s.chunks.wrote(groups)
	return s.Store.Write(ctx, groups...)
}

func (s *shaky) Drop(ctx context.Context, t *schema.Table, partition state.Key, ts int64) error {
	x, err := s.before(ctx)
	switch {
	case err != nil:
		return err
	case x.full:
		return errFull
	case x.fail:
		return errStore
	}
	s.chunks.dropped(t, partition)
	return s.Store.Drop(ctx, t, partition, ts)
}

// Close leaves the store to the other processes.
func (s *shaky) Close() error { return nil }

func failure(x trouble) error {
	if x.fail {
		return errStore
	}
	return nil
}

// set changes how the store behaves.
func (s *shaky) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}
