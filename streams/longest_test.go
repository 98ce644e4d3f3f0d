package streams

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

type fullDisk struct{ error }

func (fullDisk) LongestPause() time.Duration { return time.Minute }

// The pauses of what fails again and again grow to what the error asks for, and without that to
// retryMost.
func TestPausesGrowToWhatTheErrorAsksFor(t *testing.T) {
	for err, want := range map[error]time.Duration{
		errors.New("away"): retryMost,
		fmt.Errorf("partition 3: %w", fullDisk{errors.New("no space")}): time.Minute,
	} {
		var b backoff
		now := time.Unix(0, 0)
		tries := 0
		for ; now.Before(time.Unix(3600, 0)); now = b.until {
			b.failed(now, longest(err))
			tries++
		}
		if b.wait != want || tries > int(time.Hour/want)+20 {
			t.Errorf("%v: %d tries in an hour, the last pause %v, want %v", err, tries, b.wait, want)
		}
	}
}
