package shard

import (
	"errors"
	"fmt"
	"hash/fnv"
	"runtime"

	"millrace/consumers/index/text"
)

// layout is raised when what is indexed or stored changes. 4: files of package segment; 5: the
// pages of a file; 6: copies by sketch; 7: whether the whole text may be shown.
const layout = 7

// Options of a shard. The first two shape the index: another value needs another shard.
type Options struct {
	// The options that Shape covers.
	Positions    bool // positions for phrases; without them phrases find nothing and 40 % of the disk is saved
	MaxTextBytes int  // longer texts are cut

	Workers  int                         // goroutines that analyse a batch
	AnyShape bool                        // open a shard of another shape too, to read it; see Searchable
	Ranks    Authority                   // ranks of pages; nil = all are equal
	OnError  func(error)                 // called for the first error in the background, from any goroutine
	OnBare   func(key string, why error) // called for a document that is indexed without its text, from any goroutine
}

// Authority returns the importance of pages by the links on the web.
type Authority interface {
	// Authority returns the rank of the page with this row key, as a multiple of the mean rank of
	// all pages; 0 if it is not known. It is called for a few hundred pages of every search, from
	// several goroutines.
	Authority(rowKey string) float64
}

// DefaultOptions returns the options every shard starts from.
func DefaultOptions() Options {
	return Options{Positions: true, MaxTextBytes: 1 << 20, Workers: min(4, runtime.GOMAXPROCS(0))}
}

// Validate reports options that cannot work.
func (o Options) Validate() error {
	if o.MaxTextBytes < 1 {
		return fmt.Errorf("max text bytes must be positive, is %d", o.MaxTextBytes)
	}
	if o.Workers < 1 {
		return fmt.Errorf("workers must be positive, is %d", o.Workers)
	}
	return nil
}

// Shape returns a hash of everything that decides how documents become postings.
func (o Options) Shape() string {
	h := fnv.New64a()
	fmt.Fprintf(h, "layout=%d text=%s positions=%t maxtext=%d", layout, text.Rules, o.Positions, o.MaxTextBytes)
	return fmt.Sprintf("%016x", h.Sum64())
}

var (
	// ErrOtherOptions: the shard on disk was built with other shaping options.
	ErrOtherOptions = errors.New("the shard was built with other options")
	// ErrDamaged: the files of the shard are not as they were written. The shard must be filled
	// again.
	ErrDamaged = errors.New("the shard is damaged")
	// ErrClosed: the shard is closed.
	ErrClosed = errors.New("the shard is closed")
	// ErrStale: a batch ends before the shard's offset.
	ErrStale = errors.New("the batch lies before the shard's offset")
)
