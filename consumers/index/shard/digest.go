package shard

import "encoding/hex"

// Digest is the hash of one published document, or the XOR of several: the fold digest.
type Digest [16]byte

// Xor puts a document into the fold, or takes it out.
func (d Digest) Xor(other Digest) Digest {
	for i := range d {
		d[i] ^= other[i]
	}
	return d
}

// String is the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(b []byte) error {
	_, err := hex.Decode(d[:], b)
	return err
}
