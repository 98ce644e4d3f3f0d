package streams

import (
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// heartbeat remembers when the group's coordinator last answered. Safe for
// concurrent use.
type heartbeat struct {
	session time.Duration

	mu       sync.Mutex
	last     time.Time // when the youngest request that was answered was sent; zero before the first
	twice    bool      // the one before it was answered not long before
	awaiting bool      // a join was sent: the brokers answer when all members have joined
}

// Keys of the Kafka requests that show membership: JoinGroup, Heartbeat,
// SyncGroup, ConsumerGroupHeartbeat.
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

// answered notes an answer. It counts from when its request was sent: the answer
// may have waited while this process was stopped. What it says is not known here
// (it may be that the member was expelled), so after a silence one answer proves
// nothing: a member that was expelled sends no second request.
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

// fresh reports whether the last answers prove that this process is a member: the
// last one is younger than two thirds of the session.
func (h *heartbeat) fresh() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.twice && age(h.last, time.Now()) < h.session*2/3
}

// silent reports whether the coordinator has not answered for a whole session.
func (h *heartbeat) silent() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.last.IsZero() && !h.awaiting && time.Since(h.last) > h.session
}

// age is the time between two moments by the clock that saw more of it: the
// monotonic one stands still while the machine sleeps, the other one can be set.
func age(from, to time.Time) time.Duration {
	return max(to.Sub(from), to.Round(0).Sub(from.Round(0)))
}
