package documents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"millrace/schema"
)

// The reasons why a file gives no document.
var (
	ErrUnknown   = errors.New("documents: a kind of file that is not read")
	ErrEncrypted = errors.New("documents: the file asks for a password")
	ErrNoText    = errors.New("documents: no text; pages are pictures, or there are none")
	ErrHeavy     = errors.New("documents: takes more time or memory than a document may")
	ErrBroken    = errors.New("documents: cannot be read")
)

// Options bound what a file may cost. It is large because each kind of cost has a bound of its own.
type Options struct {
	MaxText     int           // bytes of text
	MaxPages    int           // of a PDF
	MaxLinks    int           // links kept of a file
	MaxHeadings int           //
	MaxEntries  int           // members of an archive
	MaxUnpacked int64         // bytes that are unpacked of an archive, in all
	MaxDepth    int           // of XML elements and RTF groups
	MaxMemory   int64         // of the instance that reads a PDF, in bytes: a multiple of 64 KiB
	Timeout     time.Duration // of one file
	PageTimeout time.Duration // of one page of a PDF, its opening included
	Workers     int           // PDFs read at the same time
	nested      int           // how many files this one lies in
	budget      *int64        // what may still be unpacked of the outermost of them
	CacheDir    string        // where the compiled reader of PDF is kept, about 40 MB; "": it is compiled in every process
}

// DefaultOptions are start values.
func DefaultOptions() Options {
	return Options{
		MaxText: 1 << 20, MaxPages: 2000, MaxLinks: 2000, MaxHeadings: 50,
		MaxEntries: 10_000, MaxUnpacked: 64 << 20, MaxDepth: 256,
		MaxMemory: 160 << 20, Timeout: 30 * time.Second, PageTimeout: 8 * time.Second, Workers: 2,
	}
}

// pageBytes is the unit of WebAssembly memory.
const pageBytes = 64 << 10

// leastMemory is what an instance of pdfium needs to start, with room for a small file.
const leastMemory = 32 << 20

// Validate reports everything that is wrong at once.
func (o Options) Validate() error {
	var errs []error
	if min(o.MaxText, o.MaxPages, o.MaxLinks, o.MaxHeadings, o.MaxEntries, o.MaxDepth, o.Workers) < 1 || o.MaxUnpacked < 1 || min(o.Timeout, o.PageTimeout) <= 0 {
		errs = append(errs, errors.New("documents: every cap must be positive"))
	}
	if o.MaxMemory < leastMemory || o.MaxMemory > 1<<31 || o.MaxMemory%pageBytes != 0 {
		errs = append(errs, fmt.Errorf("documents: MaxMemory must be a multiple of 64 KiB from %d to %d", leastMemory, 1<<31))
	}
	return errors.Join(errs...)
}

// Document is what a file says. It is large because files say as many things of themselves, each of
// which ends in a field of the index.
type Document struct {
	Type       string // pdf, docx, xlsx, pptx, odt, ods, odp, epub, rtf, doc, xls, ppt
	Title      string
	TitleBy    string // where the title was found
	Author     string
	Summary    string // what the file says it is about
	Lang       string // as stated; "" if not
	Created    time.Time
	Modified   time.Time
	Headings   []string
	Text       string  // one paragraph a line
	PageStarts []int32 // byte offsets in Text where pages, sheets, slides or chapters begin; nil: the format has none
	Pages      int     // of the file; more than PageStarts if it was cut
	Links      []Link
	Cut        bool // there is more than was read

	keywords []string // end the text
}

// Link is a link as it stands in the file.
type Link struct {
	URL  string
	Text string // what it stands on; "" if not known
}

// A Reader reads files. It is safe for concurrent use.
type Reader struct {
	opts Options
	pdf  *pdfPool
}

// New returns a Reader. Close ends it.
func New(opts Options) (*Reader, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	return &Reader{opts: opts, pdf: newPDFPool(opts)}, nil
}

// Close waits for files in work and gives back what was compiled.
func (r *Reader) Close() { r.pdf.close() }

// Read reads a file of a family. Whatever is wrong with it is one of the errors of this package, or
// that of ctx if the caller gave up. The time that a PDF waits for its turn does not count.
func (r *Reader) Read(ctx context.Context, family schema.FileFamily, body []byte) (*Document, error) {
	d, err := r.read(ctx, family, body)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case strings.TrimSpace(d.Text) == "":
		return d, ErrNoText
	}
	return d, nil
}

func (r *Reader) read(ctx context.Context, family schema.FileFamily, body []byte) (*Document, error) {
	if family == schema.PDF {
		return r.pdf.read(ctx, body)
	}
	ctx, cancel := context.WithTimeout(ctx, r.opts.Timeout)
	defer cancel()
	switch family {
	case schema.Zip:
		return readArchive(ctx, r.opts, body)
	case schema.RTF:
		return readRTF(ctx, r.opts, body)
	case schema.OLE:
		return readOLE(ctx, r.opts, body)
	}
	return nil, ErrUnknown
}
