package fetch

import (
	"sync"
	"time"
)

// skewWindow is how long a window of skew lasts.
const skewWindow = time.Minute

// skew estimates the difference between the clock of this process and that of the broker, which
// stamps every record: it is the smallest difference seen in the present and the last window. The
// estimate is too large by the time for which the youngest record was in the log, so a record is
// taken to be younger than it is, never older. So a process whose clock is hours off still knows
// how old a record is.
type skew struct {
	mu         sync.Mutex
	began      time.Time // start of the present window; monotonic
	now, last  time.Duration
	some, past bool // the present window, and the last one, saw a record
}

// see notes a record that was just read.
func (s *skew) see(now, stamped time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.began) > skewWindow {
		s.last, s.past = s.now, s.some
		s.some, s.began = false, now
	}
	d := now.Round(0).Sub(stamped.Round(0)) // by the wall clocks
	if !s.some || d < s.now {
		s.now, s.some = d, true
	}
}

// age is how long ago the broker stamped a record.
func (s *skew) age(now, stamped time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	off := s.now
	if s.past {
		off = min(off, s.last)
	}
	return now.Round(0).Sub(stamped.Round(0)) - off
}
