package shard

import (
	"errors"
	"fmt"
	"hash/fnv"
	"runtime"

	"millrace/consumers/index/text"
)

// layout is raised when fields.go or the stored forms change.
const layout = 3

// Options of a shard. Those under "shape" are part of its identity.
type Options struct {
	// Shape: another value needs another generation.
	Positions    bool // positions for phrases; without them phrases find nothing and 40 % of the disk is saved
	MaxTextBytes int  // longer texts are cut

	Workers  int                         // goroutines that analyse a batch
	AnyShape bool                        // open a shard of another shape too: to read it
	Ranks    Authority                   // of pages; nil = all are alike
	OnError  func(error)                 // told of errors in the background, from any goroutine
	OnBare   func(key string, why error) // told of a document that is indexed without its text, from any goroutine
}

// Authority tells what the links on the web say of a page.
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

// Shape is a hash of what decides how documents become postings.
func (o Options) Shape() string {
	h := fnv.New64a()
	fmt.Fprintf(h, "layout=%d text=%s positions=%t maxtext=%d", layout, text.Rules, o.Positions, o.MaxTextBytes)
	return fmt.Sprintf("%016x", h.Sum64())
}

var (
	// ErrOtherOptions: the shard on disk was built with other shaping options.
	ErrOtherOptions = errors.New("the shard was built with other options")
	// ErrDamaged: the files of the shard are not what was written. Only filling it again helps.
	ErrDamaged = errors.New("the shard is damaged")
	// ErrClosed: the shard is closed.
	ErrClosed = errors.New("the shard is closed")
	// ErrStale: a batch ends before the shard's offset.
	ErrStale = errors.New("the batch lies before the shard's offset")
)
