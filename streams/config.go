package streams

import (
	"log/slog"
	"time"
)

// Config is what one member of a group needs to run.
type Config struct {
	Kafka  Options
	Logger *slog.Logger
	Meter  *Meter

	// Member names this process; with Static it is a static member, which comes
	// back to its partitions at once after a restart.
	Member string
	Static bool

	Marks Marks // which logs the groups have read; nil: the commits are believed

	// Hold reports that groups that act by the clock are to start nothing new: the log is full, or
	// the index is behind. nil: never.
	Hold func() bool
	// Layout is how the crawl was provisioned: a topic with other counts ends Run.
	// Without counts it is not checked.
	Layout Layout

	MaxRecords  int           // of one round, over all partitions, unless the map says less
	TickEvery   time.Duration // longest time between two Ticks; idle groups take five times it
	CommitEvery time.Duration // what a crash repeats at most
	Session     time.Duration // without a heartbeat a member is expelled after it
	StopWithin  time.Duration // for the work in hand when Run's context ends
}

// DefaultConfig returns the start values.
func DefaultConfig() Config {
	return Config{
		Logger: slog.Default(), Meter: NewMeter(), Member: "millrace",
		MaxRecords: 500, TickEvery: 50 * time.Millisecond, CommitEvery: 200 * time.Millisecond,
		Session: 15 * time.Second, StopWithin: 8 * time.Second,
	}
}
