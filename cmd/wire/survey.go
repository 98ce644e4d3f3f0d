package wire

import (
	"context"
	"sync"
	"time"

	"millrace/consumers/dedupe"
	"millrace/consumers/schedule"
	"millrace/ops/watch"
	"millrace/schema"
)

// surveyKeep is how long counts are reused.
const surveyKeep = 2 * time.Second

// survey collects the state of the crawl, for status, dashboard, metrics, and --until-idle.
type survey struct {
	*opened
	*groups
	*cluster
	counted counted
	current current
	notices notices
}

// counted holds the counts of the whole frontier, for a process that does not run all of it:
// `millrace status`, or one of several processes of a cluster.
type counted struct {
	mu     sync.Mutex
	at     time.Time
	status schedule.Status
}

// frontierStatus returns the state of the whole frontier: from memory if this process runs all
// partitions; else the counts that the partitions wrote last, with the live figures of all
// processes.
func (s *survey) frontierStatus(ctx context.Context) (schedule.Status, error) {
	own := s.Status()
	if own.Partitions >= int(s.Meta.HostPartitions) {
		return own, nil
	}
	sum, err := s.countFrontier(ctx)
	addLive(&sum, liveOf(own, s.requests()))
	if s.roster != nil {
		for _, m := range s.roster.List(ctx) {
			if m.Id != s.id && m.Live != nil {
				addLive(&sum, m.Live)
			}
		}
	}
	return sum, err
}

// countFrontier reads the counts, if the last ones are older than surveyKeep. After an error it
// returns the last ones.
func (s *survey) countFrontier(ctx context.Context) (schedule.Status, error) {
	v := &s.counted
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.at.IsZero() && time.Since(v.at) < surveyKeep {
		return v.status, nil
	}
	return s.recount(ctx)
}

// recount reads the counts; s.counted is locked.
func (s *survey) recount(ctx context.Context) (schedule.Status, error) {
	v := &s.counted
	status, err := schedule.Count(ctx, s.Store, s.Meta.HostPartitions)
	if err != nil {
		return v.status, err
	}
	v.status, v.at = status, time.Now()
	return status, nil
}

// liveOf returns the figures of the frontier that only this process knows.
func liveOf(f schedule.Status, r watch.Requests) *schema.LiveFrontier {
	l := &schema.LiveFrontier{
		Partitions: int64(f.Partitions), Recovering: int64(f.Recovering), Ready: int64(f.Ready), Waiting: int64(f.Waiting),
		InFlight: f.InFlight, Full: f.Full, Requests: int64(r.InFlight), MostRequests: int64(r.Most),
	}
	if !f.Next.IsZero() {
		l.NextDue = f.Next.UnixMilli()
	}
	if since, err := time.Parse(time.RFC3339, r.OfflineSince); err == nil {
		l.OfflineSince = since.UnixMilli()
	}
	return l
}

// addLive adds the live figures of a process.
func addLive(sum *schedule.Status, l *schema.LiveFrontier) {
	sum.Partitions += int(l.Partitions)
	sum.Recovering += int(l.Recovering)
	sum.Ready += int(l.Ready)
	sum.Waiting += int(l.Waiting)
	sum.InFlight += l.InFlight
	sum.Full = sum.Full || l.Full
	if next := fromMillis(l.NextDue); l.NextDue != 0 && (sum.Next.IsZero() || next.Before(sum.Next)) {
		sum.Next = next
	}
}

// allRequests returns the requests in flight of all processes.
func (s *survey) allRequests(ctx context.Context) watch.Requests {
	r := s.requests()
	if s.roster != nil {
		for _, m := range s.roster.List(ctx) {
			if m.Id != s.id && m.Live != nil {
				r.InFlight += int(m.Live.Requests)
				r.Most += int(m.Live.MostRequests)
			}
		}
	}
	return r
}

// Account returns the counts of the whole frontier, as the partitions wrote them last. A report
// that is made next has the same.
func (s *survey) Account(ctx context.Context) (*watch.Frontier, error) {
	s.counted.mu.Lock()
	defer s.counted.mu.Unlock()
	status, err := s.recount(ctx)
	f := frontier(status)
	return &f, err
}

// countPages counts the pages with a document in the whole cluster, as dedupe last wrote it.
func (s *survey) countPages(ctx context.Context) (watch.Pages, error) {
	c, err := dedupe.Count(ctx, s.Store, s.Meta.SitePartitions)
	return watch.Pages(c), err
}
