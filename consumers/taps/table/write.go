package table

import (
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"millrace/consumers/taps"
)

// groupBytes is about how many bytes of values a row group has; they are in memory until it is
// written.
const groupBytes = 16 << 20

// rows writes rows of a table as a Parquet file.
type rows[R any] struct {
	table *table[R]
	out   *parquet.GenericWriter[any]
	buf   parquet.Row
	size  int // of the row group
}

func (t *table[R]) writer(w io.Writer) *rows[R] {
	return &rows[R]{table: t, out: parquet.NewGenericWriter[any](w, t.schema,
		parquet.Compression(&zstd.Codec{}), parquet.CreatedBy("millrace", "", ""), parquet.PageBufferSize(64<<10),
	)}
}

// add writes a row of about size bytes.
func (w *rows[R]) add(r R, size int) error {
	w.buf = w.table.row(w.buf[:0], r)
	return w.raw(w.buf, size)
}

func (w *rows[R]) raw(row parquet.Row, size int) error {
	if _, err := w.out.WriteRows([]parquet.Row{row}); err != nil {
		return err
	}
	if w.size += size + 100; w.size < groupBytes {
		return nil
	}
	w.size = 0
	return w.out.Flush()
}

func (w *rows[R]) close() error { return w.out.Close() }

// encode writes a file of the rows that each record makes.
func (t *table[R]) encode(w io.Writer, next func() (*taps.Record, error), rows func(*taps.Record, func(R) error) error) error {
	out := t.writer(w)
	for {
		r, err := next()
		if errors.Is(err, io.EOF) {
			return out.close()
		}
		if err == nil {
			err = rows(r, func(row R) error { return out.add(row, len(r.Value)) })
		}
		if err != nil {
			return err
		}
	}
}
