package schedule

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"millrace/consumers/schedule/policy"
	"millrace/schema"
	"millrace/streams/state"
)

// Options are the frontier's settings (package policy).
type Options = policy.Options

// PoliteBy says what a politeness key is: host, site or IP address.
type PoliteBy = policy.PoliteBy

// DefaultOptions are for a polite crawl that never ends.
func DefaultOptions() Options { return policy.DefaultOptions() }

// Deps are what the group needs from outside.
type Deps struct {
	Store         state.Store
	Canonicalizer *schema.Canonicalizer
	Logger        *slog.Logger
	Clock         func() time.Time // the time for sending to fetch; records have their own
	// Ready waits until Options.Rules holds the rules that were in force at the time of the records
	// in the log. nil: they are always up to date.
	Ready func(context.Context) error
}

func (d Deps) validate() error {
	if d.Store == nil || d.Canonicalizer == nil || d.Logger == nil || d.Clock == nil {
		return errors.New("schedule: a store, a canonicaliser, a logger and a clock are needed")
	}
	return nil
}

// Values that no operator needs to change (DESIGN section 7).
const (
	hold      = 60 * time.Second // longest that fetch keeps a URL before it defers it
	stepRows  = 1000             // most rows that one record of a recheck or forget visits
	stepReads = 256              // most partitions of the table url that it reads
	tickTurns = 1000             // most turns given in one Tick
)

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
