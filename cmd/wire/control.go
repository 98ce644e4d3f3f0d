package wire

import (
	"context"
	"fmt"
)

// readControl reads what operators decided. A cluster from before there was the topic has none of them
// until millrace provision has made it.
func (s *opened) readControl(ctx context.Context) error {
	if err := s.control.Refresh(ctx); err != nil {
		return fmt.Errorf("%w (millrace provision makes a topic that is missing)", err)
	}
	return nil
}
