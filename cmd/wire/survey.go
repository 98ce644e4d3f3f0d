package wire

import (
	"context"
	"sync"
	"time"

	"millrace/consumers/schedule"
	"millrace/schema"
	"millrace/streams/state"
)

// surveyKeep is how long a survey is shown.
const surveyKeep = 10 * time.Second

// survey counts the frontier from its rows for a process that does not run it:
// `millrace status` over a data directory at rest.
type survey struct {
	mu     sync.Mutex
	at     time.Time
	status schedule.Status
}

// frontierStatus is the frontier of this process, or, where the groups rest, what
// its rows say. On a cluster another process has it.
func (s *System) frontierStatus() schedule.Status {
	f := s.Status()
	if f.Partitions > 0 || !s.Config.Embedded() {
		return f
	}
	s.survey.mu.Lock()
	defer s.survey.mu.Unlock()
	if time.Since(s.survey.at) > surveyKeep {
		status, err := count(context.Background(), s.Store)
		if err != nil {
			s.Log.Warn("frontier not counted", "error", err)
		}
		s.survey.status, s.survey.at = status, time.Now()
	}
	return s.survey.status
}

// count adds up the host rows of all shards.
func count(ctx context.Context, store state.Store) (schedule.Status, error) {
	sum := schedule.Status{URLs: map[schema.UrlRow_Status]int64{}, Causes: map[string]int64{}}
	const page = 1000
	for shard := range int64(schema.Shards) {
		var from []state.Value
		for {
			rows, err := store.Slice(ctx, schema.HostTable, state.Key{state.Num(shard)}, from, page)
			if err != nil {
				return sum, err
			}
			for _, r := range rows {
				var h schema.HostRow
				if err := h.UnmarshalVT(r.Cells[0].Bytes()); err != nil {
					return sum, err
				}
				add(&sum, &h)
			}
			if len(rows) < page {
				break
			}
			from = []state.Value{state.Str(rows[page-1].Key[1].Str() + "\x00")}
		}
	}
	return sum, nil
}

func add(sum *schedule.Status, h *schema.HostRow) {
	sum.Hosts++
	sum.Pages += h.Fetched
	for _, q := range h.Queues {
		sum.Queued += q.Tail - q.Head
	}
	for status, n := range h.Statuses {
		if n != 0 {
			sum.URLs[schema.UrlRow_Status(status)] += n
		}
	}
	for _, c := range h.Causes {
		sum.Causes[c.Name] += c.N
	}
}
