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
	MaxMembers int64 // of a cluster; further pages with the text are not published
	MaxAliases int   // of one canonical; further pages are published
	Window     int64 // offsets that have a journal entry: more than a crash can repeat

	// Transactions: the output of a round can be aborted after its state was written, and an owner
	// that lost its partition may still write to the store. Then the journal also has what was
	// appended, and every round checks who wrote last. If neither can happen, Transactions only
	// costs time.
	Transactions bool

	// ReadAhead reads the rows of a whole round in parallel. It helps if the store is behind a
	// network.
	ReadAhead bool

	// MaxLiveBytes bounds the published documents, over all partitions of the process, where this
	// group cleans docs.unique (Deps.Trimmer). Above it Deduper.Full is true.
	MaxLiveBytes int64
}

// DefaultOptions returns the defaults.
func DefaultOptions() Options {
	return Options{
		MaxMembers: 1000, MaxAliases: 64, Window: 1 << 12,
		Transactions: true, ReadAhead: true, MaxLiveBytes: 5 << 30,
	}
}

// Validate returns an error for options that cannot work.
func (o Options) Validate() error {
	switch {
	case o.MaxMembers < 2 || o.MaxAliases < 1 || o.Window < 1000:
		return errors.New("dedupe: MaxMembers must be at least 2, MaxAliases 1, Window 1000")
	case o.MaxLiveBytes < 1:
		return errors.New("dedupe: MaxLiveBytes must be positive")
	}
	return nil
}

// Deps are the group's dependencies.
type Deps struct {
	Store   state.Store
	Logger  *slog.Logger
	Trimmer Trimmer // nil: the broker compacts docs.unique itself
}

// New returns the group, or an error for options or deps that cannot work.
func New(opts Options, deps Deps) (*Deduper, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	if deps.Store == nil || deps.Logger == nil {
		return nil, errors.New("dedupe: Deps need a store and a logger")
	}
	return &Deduper{opts: opts, deps: deps, live: map[int32]int64{}}, nil
}

// Task returns the Task of a partition.
func (d *Deduper) Task(p *streams.Partition) streams.Task[*schema.Extracted] {
	t := newTask(d, p)
	if d.opts.ReadAhead {
		return &preparing{t}
	}
	return t
}
