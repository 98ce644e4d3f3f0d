package extract

import (
	"errors"

	"millrace/consumers/extract/documents"
	"millrace/consumers/extract/inflate"
	"millrace/consumers/extract/page"
)

// Options shape what the group makes of a page. Another value is another edition: see schema.Doc.
type Options struct {
	Edition       int64
	Page          page.Options
	Inflate       inflate.Limits
	Documents     documents.Options
	MaxFile       int // bytes of a file that is no page, its content encoding undone
	MaxLinksBytes int // of one Links message
}

// DefaultOptions are start values: sizes of messages and of what a page may cost.
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

// minLinksBytes lets one link of the longest URL and anchor into a message.
const minLinksBytes = 8 << 10

// Validate reports everything that is wrong at once.
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
