package streams

import (
	"time"

	"millrace/topics"
)

// fetchWait is how long a fetch waits at the broker for the first record. A partition that is
// resumed is not in a fetch that is under way, and so late by up to that time; each fetch of an
// idle group costs CPU time here and there. A group that gathers records is in no hurry.
func fetchWait(g topics.Group) time.Duration {
	if g.Gathers > 0 {
		return time.Second
	}
	return 250 * time.Millisecond
}
