package links

import (
	"errors"
	"log/slog"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// Group is the group's name in topics.Groups.
const Group = "links"

// Options of the group.
type Options struct {
	MaxSites int // other sites that a page's row lists
	MaxOwn   int // texts of a site's own links to a page
	MaxTexts int // texts of another site
	MaxText  int // bytes of a text
	Cached   int // rows of one kind that a partition keeps in memory, about

	// ReadAhead reads the rows of a whole round together. It helps if the store is behind a
	// network.
	ReadAhead bool
}

// DefaultOptions returns the defaults.
func DefaultOptions() Options {
	return Options{MaxSites: 64, MaxOwn: 8, MaxTexts: 4, MaxText: 120, Cached: 4096, ReadAhead: true}
}

// Validate returns an error if a number is not positive.
func (o Options) Validate() error {
	if min(o.MaxSites, o.MaxOwn, o.MaxTexts, o.MaxText, o.Cached) < 1 {
		return errors.New("links: options must be positive")
	}
	return nil
}

// Deps are the group's dependencies; all are needed.
type Deps struct {
	Store  state.Store
	Canon  *schema.Canonicalizer
	Logger *slog.Logger
}

// Links is the group in one process. Its Tasks share no state.
type Links struct {
	opts Options
	deps Deps
}

// New returns the group, or an error for wrong options or missing dependencies.
func New(o Options, d Deps) (*Links, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if d.Store == nil || d.Canon == nil || d.Logger == nil {
		return nil, errors.New("links: Deps need a store, a canonicalizer and a logger")
	}
	return &Links{o, d}, nil
}

// emitters are the group's outputs; a send to any other topic does not compile.
type emitters struct {
	found streams.Emitter[*schema.Found]
	links streams.Emitter[*schema.InLinks]
	graph streams.Emitter[*schema.OutLinks]
}

// Task returns the Task of a partition: the start function of streams.Run.
func (g *Links) Task(p *streams.Partition) streams.Task[*schema.Found] {
	t := &task{opts: &g.opts, deps: &g.deps, part: p, rows: newRows(g.deps.Store, g.opts.Cached), out: emitters{
		found: streams.NewEmitter(p, Group, topics.Found()),
		links: streams.NewEmitter(p, Group, topics.Links()),
		graph: streams.NewEmitter(p, Group, topics.Graph()),
	}}
	if g.opts.ReadAhead {
		return &preparing{t}
	}
	return t
}
