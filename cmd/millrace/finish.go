package main

import (
	"errors"
	"fmt"
	"time"
)

// finishWithin bounds the end: ten seconds are promised, and the store and the
// broker need the rest to close. Groups give themselves about nine.
var finishWithin = 9700 * time.Millisecond

// finish waits for the groups to do what they have in hand, while the site answers
// its last questions; then it says farewell and closes the system.
func finish(site *site, groups <-chan error, closeSystem func(), farewell func() error) error {
	closed := make(chan error, 1)
	go func() { closed <- site.close() }()
	timer := time.NewTimer(finishWithin)
	defer timer.Stop()
	select {
	case err := <-groups:
		err = errors.Join(err, <-closed, farewell())
		closeSystem()
		return err
	case <-timer.C:
		// The groups still use the system, so it stays open; the process ends now,
		// and the log and the store stand that.
		return fmt.Errorf("the work in hand did not end within %s; the next start does it again", finishWithin)
	}
}
