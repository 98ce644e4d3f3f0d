package scylla

import (
	"context"
	"errors"
	"testing"

	"millrace/streams/state"
)

// A call with a single write request counts against Options.Parallel like any other.
func TestASingleRequestTakesASlot(t *testing.T) {
	s := &Store{slots: make(chan struct{}, 1)}
	s.slots <- struct{}{} // another request is under way
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	one := []request{{&state.Mutation{}}}
	if err := first(s.sendAll(ctx, one)); !errors.Is(err, context.Canceled) {
		t.Errorf("it did not wait: %v", err)
	}
}
