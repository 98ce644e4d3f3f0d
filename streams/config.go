package streams

import (
	"log/slog"
	"time"
)

// Config configures one member of a group.
type Config struct {
	Kafka  Options
	Logger *slog.Logger
	Meter  *Meter

	// Member names this process. With Static it is a static member (KIP-345), which gets its
	// partitions back after a restart without a rebalance.
	Member string
	Static bool
	// ConsumerProtocol lets the brokers divide the partitions (KIP-848, group.protocol=consumer):
	// Kafka 4.0 or newer. All members of a group must have the same.
	ConsumerProtocol bool

	Marks Marks // store of the marks; nil: logs are not compared, the commits decide

	// Hold reports whether Timed groups must start nothing new, urgent or not: the log is full.
	// nil: never.
	Hold func() bool
	// Ease reports whether groups with topics.Group.Eases must start only what is urgent: the index
	// is behind. nil: never.
	Ease func() bool
	// Layout has the partition counts that the crawl was provisioned with: a topic with another
	// count ends Run. If PerHost is 0 the counts are not checked.
	Layout Layout

	MaxRecords  int           // of one round, over all partitions; topics.Group.Round may set less
	TickEvery   time.Duration // longest time between two Ticks; idle groups take five times it, groups that rest twenty times
	CommitEvery time.Duration // least time between two commits; a crash repeats about that much work
	Session     time.Duration // a member that sends no heartbeat for so long is expelled; with ConsumerProtocol the brokers' own may be longer
	StopWithin  time.Duration // to finish the round under way when Run's context ends
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{
		Logger: slog.Default(), Meter: NewMeter(), Member: "millrace",
		MaxRecords: 500, TickEvery: 50 * time.Millisecond, CommitEvery: 200 * time.Millisecond,
		Session: 15 * time.Second, StopWithin: 8 * time.Second,
	}
}
