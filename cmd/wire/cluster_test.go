package wire

import (
	"context"
	"testing"

	"millrace/streams/streamstest"
)

// clearTopics deletes what an earlier test left on the shared brokers: names of
// topics and groups are fixed.
func clearTopics(t *testing.T, cfg Config) {
	t.Helper()
	if err := streamstest.Clear(context.WithoutCancel(t.Context()), cfg.Brokers); err != nil {
		t.Fatal(err)
	}
}
