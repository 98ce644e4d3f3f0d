package wire

import (
	"context"
	"sync"
	"time"

	"millrace/streams"
)

const (
	// noticeKeep is how long what was read of the marks is shown.
	noticeKeep = 10 * time.Second
	// noticeFor is how long a change of a log is shown.
	noticeFor = 7 * 24 * time.Hour
	// noticeMost is how many changes are shown.
	noticeMost = 5
)

// notices are the changes of logs as they were last read.
type notices struct {
	mu      sync.Mutex
	read    time.Time
	changes []streams.Change
}

// lag is the lag of the groups, with what users must know of the log: that it is full, that it was
// cut or made anew.
func (s *survey) lag(ctx context.Context) streams.Lag {
	lag := s.Reader.Lag(ctx)
	for _, f := range s.LogFull() {
		lag.Errors = append(lag.Errors, f.String())
	}
	for _, c := range s.recentChanges(ctx) {
		lag.Errors = append(lag.Errors, c.At.UTC().Format(time.RFC3339)+" "+c.String())
	}
	return lag
}

func (s *survey) recentChanges(ctx context.Context) []streams.Change {
	n := &s.notices
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Since(n.read) > noticeKeep {
		changes, err := s.LogChanges(ctx)
		if err != nil {
			s.Log.Debug("marks of the log not read", "error", err)
		}
		n.read, n.changes = time.Now(), nil
		for _, c := range changes {
			if len(n.changes) < noticeMost && time.Since(c.At) < noticeFor {
				n.changes = append(n.changes, c)
			}
		}
	}
	return n.changes
}
