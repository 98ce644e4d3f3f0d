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
	MaxAliases int   // pages that give way to one canonical
	Window     int64 // offsets that have a journal entry: more than a crash can repeat

	// Transactions says that what a round appended can be taken back after its
	// state was written, and that an expelled owner may still write to the store.
	// The journal then keeps what was appended too, and every record asks who wrote
	// last. Where neither can be, this costs time and nothing else.
	Transactions bool
}

// DefaultOptions returns the start values, without a store.
func DefaultOptions() Options {
	return Options{Era: 1, MaxMembers: 1000, MaxAliases: 64, Window: 1 << 12, Transactions: true}
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
