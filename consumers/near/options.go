package near

import (
	"errors"

	"millrace/consumers/sketch"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// Group is the group's name in topics.Groups.
const Group = "near"

// Options of the group.
type Options struct {
	MaxPages   int     // near-duplicates that are kept of a document
	MaxMembers int     // documents that a band lists
	Least      float64 // similarity from which documents are near each other

	// ReadAhead reads the rows of a whole round together. It helps if the store is behind a
	// network.
	ReadAhead bool
}

// DefaultOptions returns the defaults.
func DefaultOptions() Options {
	return Options{MaxPages: 16, MaxMembers: 32, Least: sketch.Near, ReadAhead: true}
}

// Deps are the group's dependencies; all are needed.
type Deps struct {
	Store state.Store
}

// Near is the group in one process. Its Tasks share no state.
type Near struct {
	opts Options
	deps Deps
}

// Validate returns an error if an option is out of range.
func (o Options) Validate() error {
	if min(o.MaxPages, o.MaxMembers) < 1 || o.Least <= 0 || o.Least > 1 {
		return errors.New("near: MaxPages and MaxMembers must be positive, Least in (0, 1]")
	}
	return nil
}

// New returns the group, or an error for wrong options or missing dependencies.
func New(o Options, d Deps) (*Near, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if d.Store == nil {
		return nil, errors.New("near: Deps need a store")
	}
	return &Near{o, d}, nil
}

// emitters are the group's outputs; a send to any other topic does not compile.
type emitters struct {
	found streams.Emitter[*schema.Near]
	near  streams.Emitter[*schema.NearPages]
}

// Task returns the Task of a partition: the start function of streams.Run.
func (g *Near) Task(p *streams.Partition) streams.Task[*schema.Near] {
	t := &task{opts: &g.opts, part: p, rows: newRows(g.deps.Store), out: emitters{
		found: streams.NewEmitter(p, Group, topics.NearFound()),
		near:  streams.NewEmitter(p, Group, topics.Near()),
	}}
	if g.opts.ReadAhead {
		return &preparing{t}
	}
	return t
}
