package shard

import (
	"fmt"
	"strconv"
)

// Digest is schema.RecordHash of one published document, or the XOR of several.
type Digest uint64

// String is the digest in hexadecimal.
func (d Digest) String() string { return fmt.Sprintf("%016x", uint64(d)) }

// MarshalText implements encoding.TextMarshaler. As a JSON number a digest would lose bits in some
// readers.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, 64)
	*d = Digest(n)
	return err
}
