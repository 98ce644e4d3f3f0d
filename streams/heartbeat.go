package streams

import (
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// heartbeat records when the group's coordinator last answered this member. Safe for concurrent
// use.
type heartbeat struct {
	session time.Duration

	mu       sync.Mutex
	last     time.Time // when the last request that was answered was sent; zero before the first
	twice    bool      // the answered request before it was sent less than 2/3 of a session earlier
	awaiting bool      // a JoinGroup was sent; the brokers answer it when all members have joined
}

// Keys of the Kafka requests whose answers show membership: JoinGroup, Heartbeat, SyncGroup,
// ConsumerGroupHeartbeat (KIP-848).
const (
	keyJoin, keyBeat, keySync, keyBeat848 = 11, 12, 14, 68
)

// OnBrokerWrite implements kgo.HookBrokerWrite.
func (h *heartbeat) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, err error) {
	if key == keyJoin && err == nil {
		h.mu.Lock()
		h.awaiting = true
		h.mu.Unlock()
	}
}

// OnBrokerE2E implements kgo.HookBrokerE2E.
func (h *heartbeat) OnBrokerE2E(_ kgo.BrokerMetadata, key int16, e2e kgo.BrokerE2E) {
	switch key {
	case keyJoin, keyBeat, keySync, keyBeat848:
		h.answered(time.Now().Add(-e2e.DurationE2E()), key == keyJoin, e2e.Err())
	}
}

// answered notes an answer, with the time at which its request was sent: the answer may have waited
// while this process was stopped. The hook does not see what the answer says, and it may say that
// the member was expelled. So after a silence one answer does not prove membership, and two do: a
// member that was expelled does not send the second request.
func (h *heartbeat) answered(sent time.Time, join bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if join {
		h.awaiting = false
	}
	if err != nil {
		return
	}
	h.twice = !h.last.IsZero() && age(h.last, sent) < h.session*2/3
	h.last = sent
}

// fresh reports whether the last two answers prove that this process is a member: the last one is
// younger than two thirds of the session, and so was the one before it at that time.
func (h *heartbeat) fresh() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.twice && age(h.last, time.Now()) < h.session*2/3
}

// silent reports whether the coordinator has not answered for a whole session. It is false before
// the first answer and while a JoinGroup waits for its answer.
func (h *heartbeat) silent() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.last.IsZero() && !h.awaiting && time.Since(h.last) > h.session
}

// age returns the time between two moments by the monotonic clock or by the wall clock, whichever
// is longer: the monotonic clock stops while the machine sleeps, the wall clock can be set back.
func age(from, to time.Time) time.Duration {
	return max(to.Sub(from), to.Round(0).Sub(from.Round(0)))
}
