package feeds

import (
	"errors"

	"millrace/consumers/listing"
	"millrace/schema"
	"millrace/streams"
)

// Group is the group's name in package topics.
const Group = "feeds"

// Deps are what the group needs from outside.
type Deps struct {
	Canon *schema.Canonicalizer
}

// Feeds is the group in one process. Its partitions share no state.
type Feeds struct {
	opts  Options
	canon *schema.Canonicalizer
}

// New returns the group. It reports invalid options and missing dependencies.
func New(o Options, d Deps) (*Feeds, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if d.Canon == nil {
		return nil, errors.New("feeds: no canonicalizer")
	}
	return &Feeds{o, d.Canon}, nil
}

// Lists reads a feed that a WebSub hub pushed. It returns the Add records, and what the feed says
// of itself.
func (g *Feeds) Lists(p *schema.Page) ([]*schema.Discovered, *schema.Listed, error) {
	at, err := g.canon.Parse(schema.RowKey(p.RowKey).URL())
	if err != nil {
		return nil, nil, err
	}
	list := g.read(p, at)
	return list.Records(Group, p), list.Listed(p, at).GetListed(), nil
}

// Task returns the Task of a partition. It is the start function for streams.Run.
func (g *Feeds) Task(p *streams.Partition) streams.Task[*schema.Page] {
	return listing.Reader{Group: Group, Kind: schema.Kind_FEED, Read: g.read}.Task(p)
}
