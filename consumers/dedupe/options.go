package dedupe

import (
	"errors"
	"log/slog"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// Group is the name of the consumer group.
const Group = "dedupe"

// Options of the group.
type Options struct {
	MaxMembers int64 // of a cluster; more pages with the text are not added
	MaxAliases int   // pages that give way to one canonical
	Window     int64 // offsets that have a journal entry: more than a crash can repeat

	// Transactions says that what a round appended can be taken back after its state
	// was written, and that an expelled owner may still write to the store. The
	// journal then keeps what was appended too, and every round asks who wrote last.
	// Where neither can be, this costs time and nothing else.
	Transactions bool

	// ReadAhead reads the rows of a whole round at the same time. It pays where the
	// store is on the other side of a network.
	ReadAhead bool

	// MaxLiveBytes bounds the documents on docs.unique, all partitions together, where
	// this group cleans it (Deps.Trimmer). Above it Deduper.Full is true.
	MaxLiveBytes int64
}

// DefaultOptions returns the start values.
func DefaultOptions() Options {
	return Options{
		MaxMembers: 1000, MaxAliases: 64, Window: 1 << 12,
		Transactions: true, ReadAhead: true, MaxLiveBytes: 5 << 30,
	}
}

// Validate reports what cannot work.
func (o Options) Validate() error {
	switch {
	case o.MaxMembers < 2 || o.MaxAliases < 1 || o.Window < 1000:
		return errors.New("dedupe: MaxMembers must be at least 2, MaxAliases 1, Window 1000")
	case o.MaxLiveBytes < 1:
		return errors.New("dedupe: MaxLiveBytes must be positive")
	}
	return nil
}

// Deps are what the group works with.
type Deps struct {
	Store   state.Store
	Logger  *slog.Logger
	Trimmer Trimmer // nil: the broker compacts docs.unique itself
}

// New returns the group, or says what cannot work.
func New(opts Options, deps Deps) (*Deduper, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	if deps.Store == nil || deps.Logger == nil {
		return nil, errors.New("dedupe: Deps need a store and a logger")
	}
	return &Deduper{opts: opts, deps: deps, live: map[int32]int64{}}, nil
}

// Task starts the work on a partition.
func (d *Deduper) Task(p *streams.Partition) streams.Task[*schema.Extracted] {
	t := newTask(d, p)
	if d.opts.ReadAhead {
		return &preparing{t}
	}
	return t
}
