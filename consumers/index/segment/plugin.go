package segment

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	index "github.com/blevesearch/bleve_index_api"
	mmap "github.com/blevesearch/mmap-go"
	api "github.com/blevesearch/scorch_segment_api/v2"
)

// typeName and version name the format in scorch's list of segments.
const (
	typeName        = "millrace"
	version  uint32 = 1
)

// Source is implemented by the documents that New gets from scorch.
type Source interface {
	// Segmented returns what the segment keeps of the document, and whether its words have
	// positions.
	Segmented() (d *Document, places bool)
}

// Plugin implements scorch.SegmentPlugin.
type Plugin struct{}

// Type implements scorch.SegmentPlugin, as do the methods after it.
func (Plugin) Type() string { return typeName }

// Version is raised when the format changes.
func (Plugin) Version() uint32 { return version }

// New makes a segment in memory. It returns also its size in bytes.
func (Plugin) New(docs []index.Document) (api.Segment, uint64, error) {
	all := make([]*Document, len(docs))
	with := false
	for i, d := range docs {
		source, ok := d.(Source)
		if !ok {
			return nil, 0, fmt.Errorf("segment: a document of another kind: %T", d)
		}
		all[i], with = source.Segmented()
	}
	data, err := Build(all, with)
	if err != nil {
		return nil, 0, err
	}
	s, err := Read(data)
	if err != nil {
		return nil, 0, err
	}
	return &memory{held: held{Segment: s}}, uint64(len(data)), nil
}

// NewUsing is New; there is nothing to configure.
func (p Plugin) NewUsing(docs []index.Document, _ map[string]any) (api.Segment, uint64, error) {
	return p.New(docs)
}

// Open maps a file into memory.
func (Plugin) Open(path string) (api.Segment, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	mapped, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("segment: %w", err), f.Close())
	}
	s, err := Read(mapped)
	if err != nil {
		return nil, errors.Join(err, mapped.Unmap(), f.Close())
	}
	o := &onDisk{held: held{Segment: s}, path: path, file: f, mapped: mapped}
	o.refs.Store(1)
	return o, nil
}

// OpenUsing is Open; there is nothing to configure.
func (p Plugin) OpenUsing(path string, _ map[string]any) (api.Segment, error) { return p.Open(path) }

// Merge writes a new file.
func (Plugin) Merge(segments []api.Segment, drops []*roaring.Bitmap, path string, stopped chan struct{}, s api.StatsReporter) ([][]uint64, uint64, error) {
	var from []*Segment
	for _, g := range segments {
		own := Of(g)
		if own == nil {
			return nil, 0, fmt.Errorf("segment: cannot merge %T", g)
		}
		from = append(from, own)
	}
	var numbers [][]uint64
	var size uint64
	err := create(path, func(f fileWriter) error {
		return contain(func() (err error) {
			numbers, size, err = merge(f, from, drops, stopped)
			return err
		})
	})
	if errors.Is(err, errStopped) {
		err = api.ErrClosed
	}
	if err == nil && s != nil {
		s.ReportBytesWritten(size)
	}
	return numbers, size, err
}

// MergeUsing is Merge; there is nothing to configure.
func (p Plugin) MergeUsing(segments []api.Segment, drops []*roaring.Bitmap, path string, stopped chan struct{}, s api.StatsReporter, _ map[string]any) ([][]uint64, uint64, error) {
	return p.Merge(segments, drops, path, stopped, s)
}

// contain runs fn. A panic in it, or a fault when it reads a mapped file, becomes an error: merges
// and updates run in goroutines of scorch, and one damaged file must not end the process.
func contain(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("segment: the file is damaged: %v", r)
		}
	}()
	return fn()
}

// create writes a file and syncs it; what fails is removed.
func create(path string, fill func(fileWriter) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = fill(fileWriter{w: w})
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // the first error counts
	}
	return err
}

// Of returns the segment behind one of scorch's; nil if it is of another format.
func Of(s api.Segment) *Segment {
	switch s := s.(type) {
	case *memory:
		return s.Segment
	case *onDisk:
		return s.Segment
	}
	return nil
}

// held gives a Segment the methods that scorch asks for.
type held struct{ *Segment }

var errUnused = errors.New("segment: its terms are read without scorch")

// Dictionary is not used: queries read the segment itself.
func (held) Dictionary(string) (api.TermDictionary, error) { return nil, errUnused }

// Fields are only used for searches by scorch.
func (held) Fields() []string { return nil }

// Names of the stored values, in the order of VisitStoredFields.
const (
	StoredKey   = "_id"
	StoredMark  = "_mark"
	StoredPage  = "_page"
	StoredBody  = "body"
	StoredTitle = "title"
)

// VisitStoredFields calls visit with the stored values until it returns false.
func (h held) VisitStoredFields(n uint64, visit api.StoredFieldValueVisitor) error {
	key, err := h.DocID(n)
	if err != nil || !visit(StoredKey, 't', key, nil) || !visit(StoredMark, 't', h.Mark(uint32(n)), nil) {
		return err
	}
	page, title, text, err := h.Stored(uint32(n))
	if err != nil || !visit(StoredPage, 't', page, nil) || !visit(StoredBody, 't', text, nil) {
		return err
	}
	visit(StoredTitle, 't', title, nil)
	return nil
}

// DocID returns the key of a document.
func (h held) DocID(n uint64) ([]byte, error) { return h.KeyOf(uint32(min(n, 1<<32-1))) }

// Count is the number of documents, deleted ones too.
func (h held) Count() uint64 { return uint64(h.Docs()) }

// DocNumbers returns the documents of keys.
func (h held) DocNumbers(keys []string) (*roaring.Bitmap, error) {
	found := roaring.New()
	err := contain(func() error {
		for _, k := range keys {
			if doc, ok := h.Find(k); ok {
				found.Add(doc)
			}
		}
		return nil
	})
	return found, err
}

// Size is the number of bytes.
func (h held) Size() int { return len(h.data) }

// Data is the content of the file, for its checksum.
func (h held) Data() []byte { return h.data }

// BytesRead is not counted.
func (held) BytesRead() uint64 { return 0 }

// ResetBytesRead does nothing.
func (held) ResetBytesRead(uint64) {}

// BytesWritten is not counted.
func (held) BytesWritten() uint64 { return 0 }

// memory is a segment that is not on disk yet. The garbage collector frees it.
type memory struct{ held }

// AddRef implements scorch's segment, as do the methods after it.
func (*memory) AddRef() {}

// DecRef does nothing.
func (*memory) DecRef() error { return nil }

// Close does nothing.
func (*memory) Close() error { return nil }

// Persist writes the segment to a file.
func (m *memory) Persist(path string) error {
	return create(path, func(f fileWriter) error {
		_, err := f.Write(m.data)
		return err
	})
}

// onDisk is a file, mapped until nobody refers to it.
type onDisk struct {
	held
	path   string
	file   *os.File
	mapped mmap.MMap
	refs   atomic.Int64
}

// Path is the name of the file.
func (o *onDisk) Path() string { return o.path }

// AddRef implements scorch's segment, as do the methods after it.
func (o *onDisk) AddRef() { o.refs.Add(1) }

// DecRef unmaps the file if nobody refers to it any more.
func (o *onDisk) DecRef() error {
	if o.refs.Add(-1) != 0 {
		return nil
	}
	return errors.Join(o.mapped.Unmap(), o.file.Close())
}

// Close gives up the reference of Open.
func (o *onDisk) Close() error { return o.DecRef() }
