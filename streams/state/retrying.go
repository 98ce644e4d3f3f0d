package state

import (
	"context"
	"errors"
	"fmt"
	"time"

	"millrace/schema"
)

// Backoff is how long to wait after a failure: Min, then twice as long each
// time, up to Max.
type Backoff struct{ Min, Max time.Duration }

// DefaultBackoff returns 250 ms to 2 s, as for a record that is retried.
func DefaultBackoff() Backoff { return Backoff{Min: 250 * time.Millisecond, Max: 2 * time.Second} }

// Validate returns an error for a back-off without a pause, or with Max below Min.
func (b Backoff) Validate() error {
	if b.Min <= 0 || b.Max < b.Min {
		return fmt.Errorf("back-off from %s to %s", b.Min, b.Max)
	}
	return nil
}

// Retrying returns a Store that repeats calls of store that fail with a transient error, until the
// call's context ends. Errors that repeating cannot help are returned at once. onRetry, which may
// be nil, is called before every pause, for a log or a counter.
func Retrying(store Store, b Backoff, onRetry func(call string, err error, wait time.Duration)) Store {
	if onRetry == nil {
		onRetry = func(string, error, time.Duration) {}
	}
	return &retrying{store: store, backoff: b, onRetry: onRetry}
}

type retrying struct {
	store   Store
	backoff Backoff
	onRetry func(call string, err error, wait time.Duration)
}

func (r *retrying) Get(ctx context.Context, t *schema.Table, key Key) (cells Cells, err error) {
	err = r.do(ctx, "get", func() error {
		cells, err = r.store.Get(ctx, t, key)
		return err
	})
	return cells, err
}

func (r *retrying) GetMany(ctx context.Context, t *schema.Table, key Key, last []Value) (rows []Row, err error) {
	err = r.do(ctx, "get many", func() error {
		rows, err = r.store.GetMany(ctx, t, key, last)
		return err
	})
	return rows, err
}

func (r *retrying) GetAll(ctx context.Context, list []Wanted) (found []Cells, err error) {
	err = r.do(ctx, "get all", func() error {
		found, err = GetAll(ctx, r.store, list)
		return err
	})
	return found, err
}

func (r *retrying) Slice(ctx context.Context, t *schema.Table, partition Key, from []Value, limit int) (rows []Row, err error) {
	err = r.do(ctx, "slice", func() error {
		rows, err = r.store.Slice(ctx, t, partition, from, limit)
		return err
	})
	return rows, err
}

func (r *retrying) Slices(ctx context.Context, t *schema.Table, list []Key, limit int) (found [][]Row, err error) {
	err = r.do(ctx, "slices", func() error {
		found, err = Slices(ctx, r.store, t, list, limit)
		return err
	})
	return found, err
}

func (r *retrying) Write(ctx context.Context, groups ...[]Mutation) error {
	return r.do(ctx, "write", func() error { return r.store.Write(ctx, groups...) })
}

func (r *retrying) Drop(ctx context.Context, t *schema.Table, partition Key, ts int64) error {
	return r.do(ctx, "drop", func() error { return r.store.Drop(ctx, t, partition, ts) })
}

func (r *retrying) DropAll(ctx context.Context, list []Dropping) error {
	return r.do(ctx, "drop", func() error { return DropAll(ctx, r.store, list) })
}

func (r *retrying) Close() error { return r.store.Close() }

func (r *retrying) do(ctx context.Context, call string, f func() error) error {
	for wait := r.backoff.Min; ; wait = min(2*wait, r.backoff.Max) {
		err := f()
		if err == nil || final(err) || ctx.Err() != nil {
			return err
		}
		r.onRetry(call, err, wait)
		if gaveUp := sleep(ctx, wait); gaveUp != nil {
			return fmt.Errorf("%w, after: %w", gaveUp, err)
		}
	}
}

// final reports whether repeating a call cannot help.
func final(err error) bool {
	return errors.Is(err, ErrNotFound) || errors.Is(err, ErrInvalid) || errors.Is(err, ErrClosed) || errors.Is(err, ErrDenied)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
