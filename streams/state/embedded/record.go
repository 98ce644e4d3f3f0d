package embedded

import (
	"bytes"
	"encoding/binary"
	"errors"

	"millrace/schema"
	"millrace/streams/state"
)

// A record is the state of a row: the timestamp of its last deletion, of its last set, and each
// cell with its own timestamp. Records merge cell by cell, in any order, and a repeated merge
// changes nothing. A record with a deletion only is a tombstone, of a row or (under the partition's
// own key) of a partition.
type record struct {
	deleted int64 // 0: never
	live    int64 // newest set; 0: never. No cell is newer
	cells   []cell
	room    [4]cell // no table has more, so no allocation
}

type cell struct {
	ts    int64 // 0: not set
	value []byte
}

// On disk: deleted and live as varints, then for each cell that is set its column (1 byte, so at
// most 256 columns), live - ts as a varint (nearly always 0), length as a varint, and bytes.

var errRecord = errors.New("damaged record")

func (r *record) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(r.deleted))
	b = binary.AppendUvarint(b, uint64(r.live))
	for i, c := range r.cells {
		if c.ts == 0 {
			continue
		}
		b = append(b, byte(i))
		b = binary.AppendUvarint(b, uint64(r.live-c.ts))
		b = binary.AppendUvarint(b, uint64(len(c.value)))
		b = append(b, c.value...)
	}
	return b
}

// decode sets r from b. The cells point into b.
func (r *record) decode(b []byte) error {
	var deleted, live uint64
	var ok bool
	if deleted, b, ok = cutUvarint(b); !ok {
		return errRecord
	}
	if live, b, ok = cutUvarint(b); !ok {
		return errRecord
	}
	r.deleted, r.live, r.cells = int64(deleted), int64(live), r.room[:0]
	for len(b) > 0 {
		if b, ok = r.decodeCell(b); !ok {
			return errRecord
		}
	}
	return nil
}

func (r *record) decodeCell(b []byte) ([]byte, bool) {
	column := int(b[0])
	age, b, ok := cutUvarint(b[1:])
	if !ok || age >= uint64(r.live) {
		return nil, false
	}
	size, b, ok := cutUvarint(b)
	if !ok || size > uint64(len(b)) {
		return nil, false
	}
	r.grow(column + 1)
	r.cells[column] = cell{ts: r.live - int64(age), value: b[:size:size]}
	return b[size:], true
}

func (r *record) grow(n int) {
	for len(r.cells) < n {
		r.cells = append(r.cells, cell{})
	}
}

// merge takes the newer values from o, whose cells it may share from then on, and clears the cells
// that a deletion covers.
func (r *record) merge(o *record) {
	r.deleted = max(r.deleted, o.deleted)
	r.live = max(r.live, o.live)
	r.grow(len(o.cells))
	for i, c := range o.cells {
		if c.newer(r.cells[i]) {
			r.cells[i] = c
		}
	}
	for i, c := range r.cells {
		if c.ts <= r.deleted {
			r.cells[i] = cell{}
		}
	}
	if r.live <= r.deleted {
		r.live = 0
	}
}

func (c cell) newer(d cell) bool {
	if c.ts != d.ts {
		return c.ts > d.ts
	}
	return bytes.Compare(c.value, d.value) > 0
}

// read returns the row's cells in a partition that was dropped at drop (0: never), or false if the
// row does not exist. ts is the timestamp of the newest cell.
func (r *record) read(t *schema.Table, drop int64) (cells state.Cells, ts int64, ok bool) {
	dead := max(r.deleted, drop)
	if r.live <= dead {
		return nil, 0, false
	}
	cells = make(state.Cells, len(t.Cells))
	for i := range min(len(cells), len(r.cells)) {
		if c := r.cells[i]; c.ts > dead {
			cells[i] = loadValue(t.Cells[i].Type, c.value)
			ts = max(ts, c.ts)
		}
	}
	return cells, ts, true
}

func cutUvarint(b []byte) (uint64, []byte, bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > 1<<63-1 {
		return 0, nil, false
	}
	return n, b[size:], true
}
