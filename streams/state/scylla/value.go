package scylla

import (
	"github.com/gocql/gocql"

	"millrace/schema"
	"millrace/streams/state"
)

// argument returns v as the driver takes it. The server leaves a cell alone whose value is unset;
// null would delete it.
func argument(t schema.ColumnType, v state.Value) any {
	switch {
	case !v.IsSet():
		return gocql.UnsetValue
	case t == schema.Text:
		return v.Str()
	case t == schema.Blob:
		return v.Bytes()
	}
	return v.Num()
}

// list returns values of one column as the driver takes them for IN.
func list(t schema.ColumnType, values []state.Value) any {
	switch t {
	case schema.Text:
		return collect(values, state.Value.Str)
	case schema.Blob:
		return collect(values, state.Value.Bytes)
	}
	return collect(values, state.Value.Num)
}

func collect[T any](values []state.Value, get func(state.Value) T) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = get(v)
	}
	return out
}

// received is a value as it comes from the server.
type received struct {
	octets bool // a text or blob
	state.Value
}

// UnmarshalCQL implements gocql.Unmarshaler. Unlike the driver's own conversions it distinguishes
// null from empty.
func (r *received) UnmarshalCQL(_ gocql.TypeInfo, data []byte) error {
	switch {
	case data == nil:
		r.Value = state.Value{}
	case r.octets:
		r.Value = state.Bytes(data)
	default:
		r.Value = state.Num(signed(data))
	}
	return nil
}

// signed reads a big-endian integer in two's complement of any width.
func signed(data []byte) int64 {
	n := int64(0)
	for i, b := range data {
		if i == 0 {
			n = int64(int8(b))
			continue
		}
		n = n<<8 | int64(b)
	}
	return n
}

// scanner receives the rows of one answer, one after the other.
type scanner struct {
	values []received // clustering columns, then cells
	times  []int64    // of cells
	dests  []any
}

func scanColumns(columns []schema.Column, times int) *scanner {
	s := &scanner{values: make([]received, len(columns)), times: make([]int64, times)}
	for i, c := range columns {
		s.values[i].octets = c.Type == schema.Text || c.Type == schema.Blob
		s.dests = append(s.dests, &s.values[i])
	}
	for i := range s.times {
		s.dests = append(s.dests, &s.times[i])
	}
	return s
}

// take returns n values from the first on.
func (s *scanner) take(first, n int) []state.Value {
	out := make([]state.Value, n)
	for i := range out {
		out[i] = s.values[first+i].Value
	}
	return out
}

// row returns the row of partition that was scanned last.
func (s *scanner) row(t *schema.Table, partition state.Key) state.Row {
	return s.rowFrom(0, t, partition)
}

// rowFrom is row for an answer that begins with n other values.
func (s *scanner) rowFrom(n int, t *schema.Table, partition state.Key) state.Row {
	k := len(t.Clustering)
	row := state.Row{
		Key:   append(partition[:len(partition):len(partition)], s.take(n, k)...),
		Cells: s.take(n+k, len(t.Cells)),
	}
	for _, ts := range s.times {
		row.TS = max(row.TS, ts)
	}
	return row
}
