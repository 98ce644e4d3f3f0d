package streams

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Fresh is true while the process is known to be a member. After the process was stopped, or the
// machine slept, one answer is not enough, because it may say that the member was expelled.
func TestFreshIsProvenByAnswers(t *testing.T) {
	const session = 15 * time.Second
	for _, c := range []struct {
		name  string
		do    func(h *heartbeat)
		fresh bool
	}{
		{"nothing yet", func(*heartbeat) {}, false},
		{"one answer", func(h *heartbeat) { h.answered(time.Now(), true, nil) }, false},
		{"joined", beats(2), true},
		{"silent for less than two thirds of a session", func(h *heartbeat) { beats(3)(h); time.Sleep(9 * time.Second) }, true},
		{"silent for longer", func(h *heartbeat) { beats(3)(h); time.Sleep(11 * time.Second) }, false},
		{"the first answer after a silence", func(h *heartbeat) {
			beats(3)(h)
			time.Sleep(20 * time.Second)
			h.answered(time.Now(), false, nil)
		}, false},
		{"the second answer after a silence", func(h *heartbeat) {
			beats(3)(h)
			time.Sleep(20 * time.Second)
			beats(2)(h)
		}, true},
		{"an answer that waited while the process was stopped", func(h *heartbeat) {
			beats(3)(h)
			sent := time.Now()
			time.Sleep(20 * time.Second)
			h.answered(sent, false, nil)
		}, false},
		{"a request that failed", func(h *heartbeat) {
			beats(3)(h)
			time.Sleep(11 * time.Second)
			h.answered(time.Now(), false, errors.New("connection closed"))
			h.answered(time.Now(), false, errors.New("connection closed"))
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := heartbeat{session: session}
				c.do(&h)
				if got := h.fresh(); got != c.fresh {
					t.Errorf("fresh: %v", got)
				}
			})
		})
	}
}

// beats answers n heartbeats, one a second.
func beats(n int) func(*heartbeat) {
	return func(h *heartbeat) {
		for range n {
			time.Sleep(time.Second)
			h.answered(time.Now(), false, nil)
		}
	}
}

// The age of a heartbeat is the longer one by the two clocks: the monotonic clock stops while the
// machine sleeps, the wall clock can be set back.
func TestAgeIsOfTheClockThatSawMore(t *testing.T) {
	now := time.Now()
	asleep := now.Add(time.Hour).Round(0) // without a monotonic reading
	if got := age(now, asleep); got < time.Hour-time.Second {
		t.Errorf("the machine slept for an hour: age %s", got)
	}
}

// A member that waits for others in a rebalance sends no heartbeats and is not
// expelled for it.
func TestAMemberInARebalanceIsNotSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := heartbeat{session: time.Second}
		beats(1)(&h)
		time.Sleep(2 * time.Second)
		if !h.silent() {
			t.Error("two sessions without an answer, and not silent")
		}
		h.awaiting = true
		if h.silent() {
			t.Error("silent while it waits for the others")
		}
	})
}
