package feeds

import (
	"fmt"

	"millrace/producers/listing"
	"millrace/schema"
	"millrace/streams"
)

// Group is the group's name on the map.
const Group = "feeds"

// Options bound what one feed can cost. Without them 300,000 items in 8.7 MB took gofeed 2.1 s and 3.3 GB, and 100,000 namespaces in 4 MB
// more than five minutes. 184 real feeds have at most 9 namespaces, 11 levels and some 2,000 elements.
type Options struct {
	Canon         *schema.Canonicalizer
	MaxBytes      int // uncompressed
	MaxItems      int
	MaxElements   int // of all items together
	MaxDepth      int // of elements
	MaxNamespaces int // declared around an element
}

// DefaultOptions has room for a feed of a whole archive.
func DefaultOptions(c *schema.Canonicalizer) Options {
	return Options{Canon: c, MaxBytes: 5 << 20, MaxItems: 10_000, MaxElements: 150_000, MaxDepth: 64, MaxNamespaces: 32}
}

// Validate reports options that would refuse every feed.
func (o Options) Validate() error {
	if o.Canon == nil || o.MaxBytes < 1 || o.MaxItems < 1 || o.MaxElements < 1 || o.MaxDepth < 4 || o.MaxNamespaces < 1 {
		return fmt.Errorf("feeds: options out of range: %+v", o)
	}
	return nil
}

// New returns what makes the Task of a partition.
func New(o Options) (func(*streams.Partition) streams.Task[*schema.Page], error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	is := listing.Producer{Name: Group, Kind: schema.Kind_FEED, Read: o.read}
	return func(p *streams.Partition) streams.Task[*schema.Page] { return listing.NewTask(is, p) }, nil
}
