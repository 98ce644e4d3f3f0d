package wire

import (
	"context"

	"millrace/ops/watch"
)

// Account counts afresh from the store where every URL is, as it was last written.
// It reads all hosts: for a summary at the end, not for a dashboard.
func (s *System) Account(ctx context.Context) (*watch.Frontier, error) {
	status, err := count(ctx, s.Store)
	f := frontier(status)
	return &f, err
}
