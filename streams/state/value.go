package state

// Value is the value of a column: an integer, a text, or a blob. The zero Value
// is an unset cell.
type Value struct {
	n   int64
	s   string
	set bool
}

// Num returns an integer value of any width; the table's column decides it.
func Num(n int64) Value { return Value{n: n, set: true} }

// Str returns a text value.
func Str(s string) Value { return Value{s: s, set: true} }

// Bytes returns a blob value. It copies b.
func Bytes(b []byte) Value { return Value{s: string(b), set: true} }

// IsSet reports whether the value is there.
func (v Value) IsSet() bool { return v.set }

// Num returns the integer of an integer value, else 0.
func (v Value) Num() int64 { return v.n }

// Str returns the text of a text value, or a blob's bytes as a string.
func (v Value) Str() string { return v.s }

// Bytes returns a copy of a blob's bytes.
func (v Value) Bytes() []byte { return []byte(v.s) }
