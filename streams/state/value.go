package state

import "strconv"

// Value is the value of a column: an integer, a text, or a blob. The zero Value
// is an unset cell. Values compare with ==.
type Value struct {
	n    int64
	s    string
	kind kind
}

type kind uint8

const (
	unset kind = iota
	number
	octets // a text or a blob
)

// Num returns an integer value; the table's column decides its width.
func Num(n int64) Value { return Value{n: n, kind: number} }

// Str returns a text value.
func Str(s string) Value { return Value{s: s, kind: octets} }

// Bytes returns a blob value. It copies b.
func Bytes(b []byte) Value { return Value{s: string(b), kind: octets} }

// IsSet reports whether the value is not the zero Value.
func (v Value) IsSet() bool { return v.kind != unset }

// Num returns the integer of an integer value, else 0.
func (v Value) Num() int64 { return v.n }

// Str returns the text of a text value, or a blob's bytes as a string.
func (v Value) Str() string { return v.s }

// Bytes returns a copy of a blob's bytes.
func (v Value) Bytes() []byte { return []byte(v.s) }

// String returns the value for error messages.
func (v Value) String() string {
	switch v.kind {
	case number:
		return strconv.FormatInt(v.n, 10)
	case octets:
		return strconv.Quote(v.s)
	}
	return "unset"
}
