package state_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"millrace/schema"
	"millrace/streams/state"
)

type ctx = context.Context

var errNoAnswer = errors.New("no answer")

// failing is a store whose calls fail with the errors in turn, and then succeed.
type failing struct{ errs []error }

func (f *failing) next() error {
	if len(f.errs) == 0 {
		return nil
	}
	err := f.errs[0]
	f.errs = f.errs[1:]
	return err
}

func (f *failing) Get(ctx, *schema.Table, state.Key) (state.Cells, error) {
	return state.Cells{state.Num(1)}, f.next()
}

func (f *failing) GetMany(ctx, *schema.Table, state.Key, []state.Value) ([]state.Row, error) {
	return make([]state.Row, 2), f.next()
}

func (f *failing) Slice(ctx, *schema.Table, state.Key, []state.Value, int) ([]state.Row, error) {
	return make([]state.Row, 3), f.next()
}

func (f *failing) Write(ctx, ...[]state.Mutation) error            { return f.next() }
func (f *failing) Drop(ctx, *schema.Table, state.Key, int64) error { return f.next() }
func (f *failing) Close() error                                    { return f.next() }

func TestTransientErrorsAreRetriedWithBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits []time.Duration
		f := &failing{errs: slices.Repeat([]error{errNoAnswer}, 5)}
		s := state.Retrying(f, state.DefaultBackoff(), func(_ string, err error, wait time.Duration) {
			waits = append(waits, wait)
		})
		start := time.Now()
		if err := s.Write(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 2 * time.Second}
		if !slices.Equal(waits, want) || time.Since(start) != 5750*time.Millisecond {
			t.Errorf("waited %v, %v in all, want %v", waits, time.Since(start), want)
		}
	})
}

func TestEveryCallIsRetriedAndAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &failing{}
		s := state.Retrying(f, state.DefaultBackoff(), nil)
		for name, call := range map[string]func() (int, error){
			"Get":     func() (int, error) { c, err := s.Get(t.Context(), nil, nil); return len(c), err },
			"GetMany": func() (int, error) { r, err := s.GetMany(t.Context(), nil, nil, nil); return len(r) - 1, err },
			"Slice":   func() (int, error) { r, err := s.Slice(t.Context(), nil, nil, nil, 1); return len(r) - 2, err },
			"Write":   func() (int, error) { return 1, s.Write(t.Context()) },
			"Drop":    func() (int, error) { return 1, s.Drop(t.Context(), nil, nil, 1) },
		} {
			f.errs = []error{errNoAnswer, errNoAnswer}
			if n, err := call(); n != 1 || err != nil || len(f.errs) != 0 {
				t.Errorf("%s: %d, %v with %d failures left", name, n, err, len(f.errs))
			}
		}
	})
}

func TestFinalErrorsPassAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, final := range []error{state.ErrNotFound, state.ErrInvalid, state.ErrClosed} {
			s := state.Retrying(&failing{errs: []error{fmt.Errorf("wrapped: %w", final)}}, state.DefaultBackoff(), nil)
			start := time.Now()
			if err := s.Write(t.Context()); !errors.Is(err, final) || time.Since(start) != 0 {
				t.Errorf("%v after %v, want %v at once", err, time.Since(start), final)
			}
		}
	})
}

func TestRetryingEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s := state.Retrying(&failing{errs: slices.Repeat([]error{errNoAnswer}, 1000)}, state.DefaultBackoff(), nil)
		start := time.Now()
		err := s.Write(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, errNoAnswer) || time.Since(start) != time.Minute {
			t.Errorf("%v after %v, want both errors after a minute", err, time.Since(start))
		}
		err = s.Write(ctx)
		if !errors.Is(err, errNoAnswer) || time.Since(start) != time.Minute {
			t.Errorf("%v after %v, want no more waiting", err, time.Since(start))
		}
	})
}
