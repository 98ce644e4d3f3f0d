package dedupe

import (
	"errors"

	"millrace/streams/state"
)

// Options of the group.
type Options struct {
	Store      state.Store
	Era        int64 // of the log: offsets of a later era win over all earlier ones
	MaxMembers int64 // of a published cluster
	MaxAliases int   // pages of one canonical that are kept in sight
	Window     int64 // offsets: more than what a crash can repeat
}

// DefaultOptions returns the start values, without a store.
func DefaultOptions() Options {
	return Options{Era: 1, MaxMembers: 1000, MaxAliases: 64, Window: 1 << 14}
}

// Validate reports what is missing or cannot work.
func (o Options) Validate() error {
	switch {
	case o.Store == nil:
		return errors.New("dedupe: no store")
	case o.Era < 1 || o.Era > 100:
		return errors.New("dedupe: era must be from 1 to 100")
	case o.MaxMembers < 2 || o.MaxAliases < 1 || o.Window < 1000:
		return errors.New("dedupe: MaxMembers must be at least 2, MaxAliases 1, Window 1000")
	}
	return nil
}
