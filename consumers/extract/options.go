package extract

import (
	"errors"

	"millrace/consumers/extract/documents"
	"millrace/consumers/extract/page"
	"millrace/consumers/inflate"
)

// Options decide what the group makes of a page. Whoever changes them raises Edition: see
// schema.Doc.
type Options struct {
	Edition       int64
	Page          page.Options
	Inflate       inflate.Limits
	Documents     documents.Options
	MaxFile       int // bytes of a file that is no page, after decoding
	MaxLinksBytes int // of one Links message
}

// DefaultOptions returns the defaults.
func DefaultOptions() Options {
	return Options{
		Edition:       1,
		Page:          page.DefaultOptions(),
		Inflate:       inflate.DefaultLimits(),
		Documents:     documents.DefaultOptions(),
		MaxFile:       32 << 20,
		MaxLinksBytes: 256 << 10,
	}
}

// minLinksBytes is enough for one link with the longest URL and anchor.
const minLinksBytes = 8 << 10

// Validate returns all errors at once.
func (o Options) Validate() error {
	var errs []error
	if o.Edition < 0 {
		errs = append(errs, errors.New("extract: Edition must not be negative"))
	}
	if o.MaxLinksBytes < minLinksBytes {
		errs = append(errs, errors.New("extract: MaxLinksBytes must hold a link of the longest kind (8 KiB)"))
	}
	return errors.Join(append(errs, o.Page.Validate(), o.Inflate.Validate(), o.Documents.Validate())...)
}
