package documents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"millrace/schema"
)

// The reasons why a file becomes no document.
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
	MaxPages    int           // of a PDF that are read; of other files, beginnings of pages that are kept
	MaxLinks    int           // links kept of a file
	MaxHeadings int           //
	MaxEntries  int           // members of an archive
	MaxUnpacked int64         // bytes that are unpacked of an archive, in all
	MaxDepth    int           // of XML elements and RTF groups
	MaxMemory   int64         // of the instance that reads a PDF, in bytes: a multiple of 64 KiB
	Timeout     time.Duration // of one file
	PageTimeout time.Duration // of one page of a PDF, its opening included
	Workers     int           // PDFs read at the same time
	nested      int           // how many files this one is inside of
	budget      *int64        // bytes that may still be unpacked of the outermost file
	CacheDir    string        // where the compiled PDF reader is kept, about 40 MB; "": every process compiles it
}

// DefaultOptions returns the defaults.
func DefaultOptions() Options {
	return Options{
		MaxText: 1 << 20, MaxPages: 2000, MaxLinks: 2000, MaxHeadings: 50,
		MaxEntries: 10_000, MaxUnpacked: 64 << 20, MaxDepth: 256,
		MaxMemory: 96 << 20, Timeout: 30 * time.Second, PageTimeout: 8 * time.Second, Workers: 2,
	}
}

// pageBytes is the unit of WebAssembly memory.
const pageBytes = 64 << 10

// leastMemory is enough for an instance of pdfium to start and read a small file.
const leastMemory = 32 << 20

// Validate returns all errors at once.
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

// Document is the content of a file. It is large because files have many kinds of metadata, each of
// which becomes a field of the index.
type Document struct {
	Type       string // pdf, docx, xlsx, xlsb, pptx, odt, ods, odp, epub, rtf, doc, xls, ppt
	Title      string
	TitleBy    string // where the title was found
	Author     string
	Summary    string // the file's own description
	Lang       string // as stated; "" if not
	Created    time.Time
	Modified   time.Time
	Headings   []string
	Text       string  // one paragraph a line
	PageStarts []int32 // byte offsets in Text where pages, sheets, slides or chapters begin; nil: the format has none
	Pages      int     // of the file; more than PageStarts if it was cut
	Links      []Link
	Cut        bool // the file has more than was read

	keywords []string // added at the end of the text
}

// Link is a link in the file.
type Link struct {
	URL  string
	Text string // the text of the link; "" if not known
}

// A Reader reads files. It is safe for concurrent use.
type Reader struct {
	opts  Options
	pdf   pdfReader
	close sync.Once
}

// pdfReader reads PDFs, in this process (pdfPool) or in others (pdfProcesses).
type pdfReader interface {
	read(ctx context.Context, body []byte) (*Document, error)
	close()
}

// New returns a Reader. Close it at the end.
func New(opts Options) (*Reader, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	r := &Reader{opts: opts, pdf: newPDFPool(opts, true)}
	if canServe.Load() {
		r.pdf = newPDFProcesses(opts)
	}
	return r, nil
}

// Close waits for files being read, and frees the compiled module.
// Closing it again does nothing.
func (r *Reader) Close() { r.close.Do(r.pdf.close) }

// Read reads a file of a family. Every error is one of this package's, or that of ctx if the caller
// gave up. The time that a PDF waits for its turn does not count against Options.Timeout.
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
