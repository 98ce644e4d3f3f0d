package taps

import (
	"errors"
	"fmt"
	"time"
)

// Options bound the files of a tap. A file is written when one of the first three is reached.
type Options struct {
	RollBytes   int64         // of records, before they are encoded
	RollRecords int           // of one partition
	RollEvery   time.Duration // age of the oldest record that waits, on this machine's clock
	AtOnce      int           // files of a process that are written at the same time
	Patience    time.Duration // for which Drain waits while nothing is written
	Keep        int           // notes of a partition that are kept
	Writer      string        // host and process, for people
}

// DefaultOptions returns files of up to 64 MiB or five minutes.
func DefaultOptions() Options {
	return Options{RollBytes: 64 << 20, RollRecords: 200_000, RollEvery: 5 * time.Minute, AtOnce: 2,
		Patience: 5 * time.Minute, Keep: 1000}
}

// Validate returns an error for the first option that is out of bounds.
func (o Options) Validate() error {
	switch {
	case o.RollBytes < 1 || o.RollBytes > 4<<30:
		return errors.New("a file holds from 1 byte to 4 GiB of records")
	case o.RollRecords < 1 || o.RollRecords > 1_000_000:
		return errors.New("a file holds from 1 to 1,000,000 records")
	case o.RollEvery < 100*time.Millisecond || o.RollEvery > 24*time.Hour:
		return fmt.Errorf("a file is open for 100ms to 24h, not %s", o.RollEvery)
	case o.Patience < time.Second || o.Patience > 24*time.Hour:
		return fmt.Errorf("a tap that writes nothing is waited for for 1s to 24h, not %s", o.Patience)
	case o.AtOnce < 1 || o.Keep < 10:
		return errors.New("at least one file at once, and ten notes kept")
	}
	return nil
}
