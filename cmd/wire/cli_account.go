package wire

import (
	"context"

	"millrace/consumers/schedule"
	"millrace/ops/watch"
)

// Account returns the counts of the whole cluster, as they were last written.
func (s *System) Account(ctx context.Context) (*watch.Frontier, error) {
	status, err := schedule.Count(ctx, s.Store, s.Meta.HostPartitions)
	f := frontier(status)
	return &f, err
}
