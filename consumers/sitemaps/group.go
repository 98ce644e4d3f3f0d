package sitemaps

import (
	"errors"

	"millrace/consumers/listing"
	"millrace/schema"
	"millrace/streams"
)

// Group is the group's name in package topics.
const Group = "sitemaps"

// Deps are what the group needs from outside.
type Deps struct {
	Canon *schema.Canonicalizer
}

// Sitemaps is the group in one process. Its partitions share no state.
type Sitemaps struct {
	opts  Options
	canon *schema.Canonicalizer
}

// New returns the group. It reports invalid options and missing dependencies.
func New(o Options, d Deps) (*Sitemaps, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if d.Canon == nil {
		return nil, errors.New("sitemaps: no canonicalizer")
	}
	return &Sitemaps{o, d.Canon}, nil
}

// Task returns the Task of a partition. It is the start function for streams.Run.
func (g *Sitemaps) Task(p *streams.Partition) streams.Task[*schema.Page] {
	return listing.Reader{Group: Group, Kind: schema.Kind_SITEMAP, Read: g.read}.Task(p)
}
