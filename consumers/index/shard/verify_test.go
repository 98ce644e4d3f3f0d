package shard

import (
	"errors"
	"fmt"
	"testing"

	bolt "go.etcd.io/bbolt/errors"
)

// Files that another process holds are not damaged, however the error is worded; a damaged shard
// would be set aside and filled anew.
func TestFilesInUseAreNotDamaged(t *testing.T) {
	if err := judge(fmt.Errorf("open root.bolt: %w", bolt.ErrTimeout)); errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	if err := judge(errors.New("timeout")); !errors.Is(err, ErrDamaged) {
		t.Errorf("%v is taken for a lock by its text", err)
	}
}
