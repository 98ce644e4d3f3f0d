package state

import (
	"fmt"
	"unicode/utf8"

	"millrace/schema"
)

// Bounds of one row, the same for every Store.
const (
	// MaxKeyBytes bounds the values of a key together. CQL allows 64 KiB; half of it leaves room
	// for lengths and escapes. A row key is 2 KiB at most.
	MaxKeyBytes = 32 << 10
	// MaxRowBytes bounds a row, key and cells: half of the largest mutation that Cassandra accepts
	// by default.
	MaxRowBytes = 8 << 20
)

// CheckGet returns an ErrInvalid if the arguments of a Get break the contract. It and the other
// Check functions are for implementations of Store.
func CheckGet(t *schema.Table, key Key) error {
	if len(key) != len(t.Partition)+len(t.Clustering) {
		return invalid(t, "%d key values", len(key))
	}
	return checkKey(t, key)
}

// CheckMany returns an ErrInvalid for wrong arguments of a GetMany.
func CheckMany(t *schema.Table, key Key, last []Value) error {
	n := len(t.Partition) + len(t.Clustering) - 1
	switch {
	case len(t.Clustering) == 0:
		return invalid(t, "GetMany needs a clustering column")
	case len(key) != n:
		return invalid(t, "%d key values before the last", len(key))
	case len(last) > MaxKeys:
		return invalid(t, "%d keys in one GetMany", len(last))
	}
	for _, v := range last {
		if err := checkValue(t, t.Clustering[len(t.Clustering)-1], v); err != nil {
			return err
		}
		if len(v.s) > MaxKeyBytes {
			return invalid(t, "a key value of %d bytes", len(v.s))
		}
	}
	return checkKey(t, key)
}

// CheckSlice returns an ErrInvalid for wrong arguments of a Slice.
func CheckSlice(t *schema.Table, partition Key, from []Value, limit int) error {
	switch {
	case len(partition) != len(t.Partition):
		return invalid(t, "%d partition values", len(partition))
	case len(from) > len(t.Clustering):
		return invalid(t, "%d clustering values", len(from))
	case limit < 1:
		return invalid(t, "limit %d", limit)
	}
	for i, v := range from {
		if err := checkValue(t, t.Clustering[i], v); err != nil {
			return err
		}
	}
	return checkKey(t, partition)
}

// CheckDrop returns an ErrInvalid for wrong arguments of a Drop.
func CheckDrop(t *schema.Table, partition Key, ts int64) error {
	switch {
	case !t.Dropped || len(t.Clustering) == 0:
		return invalid(t, "its partitions are never dropped")
	case len(partition) != len(t.Partition):
		return invalid(t, "%d partition values", len(partition))
	case ts < 1:
		return invalid(t, "timestamp %d", ts)
	}
	return checkKey(t, partition)
}

// CheckWrite returns an ErrInvalid for wrong arguments of a Write.
func CheckWrite(groups ...[]Mutation) error {
	for _, group := range groups {
		for i := range group {
			if err := group[i].Check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Check returns an ErrInvalid if a Store would refuse the mutation.
func (m *Mutation) Check() error {
	if m.Table == nil {
		return fmt.Errorf("%w: a mutation without a table", ErrInvalid)
	}
	if m.TS < 1 {
		return invalid(m.Table, "timestamp %d", m.TS)
	}
	if err := CheckGet(m.Table, m.Key); err != nil {
		return err
	}
	return m.checkCells()
}

func (m *Mutation) checkCells() error {
	if m.Delete {
		if len(m.Cells) != 0 {
			return invalid(m.Table, "a delete with cells")
		}
		return nil
	}
	if len(m.Cells) != len(m.Table.Cells) {
		return invalid(m.Table, "%d cells", len(m.Cells))
	}
	size := 0
	for i, v := range m.Cells {
		if !v.IsSet() {
			continue
		}
		if err := checkValue(m.Table, m.Table.Cells[i], v); err != nil {
			return err
		}
		size += len(v.s)
	}
	for _, v := range m.Key {
		size += len(v.s)
	}
	if size > MaxRowBytes {
		return invalid(m.Table, "a row of %d bytes", size)
	}
	return nil
}

func checkKey(t *schema.Table, key Key) error {
	size := 0
	for i, v := range key {
		if err := checkValue(t, column(t, i), v); err != nil {
			return err
		}
		size += len(v.s)
	}
	if size > MaxKeyBytes {
		return invalid(t, "a key of %d bytes", size)
	}
	// CQL refuses an empty value only as the whole partition key.
	if len(t.Partition) == 1 && key[0].kind == octets && key[0].s == "" {
		return invalid(t, "an empty partition key")
	}
	return nil
}

func checkValue(t *schema.Table, c schema.Column, v Value) error {
	switch {
	case !v.IsSet():
		return invalid(t, "%s is not set", c.Name)
	case (v.kind == number) != (width(c.Type) > 0):
		return invalid(t, "%s: the value is of another type", c.Name)
	case v.kind == number && !fits(v.n, width(c.Type)):
		return invalid(t, "%s: %d is out of range", c.Name, v.n)
	case c.Type == schema.Text && !utf8.ValidString(v.s):
		return invalid(t, "%s: a text that is not UTF-8", c.Name)
	}
	return nil
}

// fits reports whether n is an integer of w bytes.
func fits(n int64, w int) bool {
	shift := 64 - 8*w
	return n<<shift>>shift == n
}

func invalid(t *schema.Table, format string, args ...any) error {
	return fmt.Errorf("%w: table %s: %s", ErrInvalid, t.Name, fmt.Sprintf(format, args...))
}
