package wire

import (
	"context"
	"sync"
	"time"

	"millrace/consumers/schedule"
)

// surveyKeep is how long a survey is shown.
const surveyKeep = 10 * time.Second

// survey keeps the counts of the whole cluster for a process that does not run the
// frontier: `millrace status`, or a process of other groups.
type survey struct {
	mu     sync.Mutex
	at     time.Time
	status schedule.Status
}

// frontierStatus is the frontier of this process if it has all partitions; else what
// it has, with the counts of the whole cluster.
func (s *System) frontierStatus() schedule.Status {
	f := s.Status()
	if f.Partitions >= int(s.Meta.HostPartitions) {
		return f
	}
	s.survey.mu.Lock()
	defer s.survey.mu.Unlock()
	if time.Since(s.survey.at) > surveyKeep {
		status, err := schedule.Count(context.Background(), s.Store, s.Meta.HostPartitions)
		if err != nil {
			s.Log.Warn("frontier not counted", "error", err)
		}
		s.survey.status, s.survey.at = status, time.Now()
	}
	whole := s.survey.status
	f.Hosts, f.Pages, f.URLs, f.Causes = whole.Hosts, whole.Pages, whole.URLs, whole.Causes
	f.Drops, f.Known, f.Queued = whole.Drops, whole.Known, whole.Queued
	return f
}
