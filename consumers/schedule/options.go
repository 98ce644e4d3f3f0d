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

// Options are the frontier's settings.
type Options = policy.Options

// PoliteBy is what a politeness key is.
type PoliteBy = policy.PoliteBy

// DefaultOptions are for a polite crawl without end.
func DefaultOptions() Options { return policy.DefaultOptions() }

// Deps are what the group works with.
type Deps struct {
	Store         state.Store
	Canonicalizer *schema.Canonicalizer
	Logger        *slog.Logger
	Clock         func() time.Time // for what is not a record's time: emission
	// Ready returns when Options.Rules has what is in force for the records that stand in the log;
	// nil: it always has.
	Ready func(context.Context) error
}

func (d Deps) validate() error {
	if d.Store == nil || d.Canonicalizer == nil || d.Logger == nil || d.Clock == nil {
		return errors.New("schedule: a store, a canonicaliser, a logger and a clock are needed")
	}
	return nil
}

// Start values that no operator needs to change (DESIGN section 7).
const (
	hold      = 60 * time.Second // what fetch holds a URL at most before it gives it back
	stepRows  = 1000             // rows that one record walks at most
	stepReads = 256              // and partitions that it reads
	tickTurns = 1000             // turns given in one Tick
)

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
