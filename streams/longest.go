package streams

import (
	"errors"
	"time"
)

// longest returns the longest pause before Settle is tried again after an error: retryMost, or what
// the error asks for by a method LongestPause. A task asks for more where a try costs much and what
// failed may last for hours, such as a full disk.
func longest(err error) time.Duration {
	var asks interface{ LongestPause() time.Duration }
	if errors.As(err, &asks) {
		return max(retryMost, asks.LongestPause())
	}
	return retryMost
}
