package index

import (
	"sync"
	"time"
)

// shared is an answer of the brokers about a whole topic. The tasks of a process ask for it at the
// same moment, and so once.
type shared[T any] struct {
	mu    sync.Mutex
	asked time.Time
	last  T
}

// get returns the last answer if it is younger than within, else a new one. An error is not kept.
func (s *shared[T]) get(now time.Time, within time.Duration, ask func() (T, error)) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if age := now.Sub(s.asked); !s.asked.IsZero() && age >= 0 && age < within {
		return s.last, nil
	}
	answer, err := ask()
	if err == nil {
		s.asked, s.last = now, answer
	}
	return answer, err
}

// topicBounds is where the partitions of a topic begin and end. Of the topic links starts is not
// asked for, of docs.unique id is not.
type topicBounds struct {
	id           string
	starts, ends map[int32]int64
}

// together is how long the tasks of a process share a topicBounds.
func (o *Options) together() time.Duration { return o.LookEvery / 4 }
