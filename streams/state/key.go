package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"

	"millrace/schema"
)

// The encoding of keys is order-preserving: values one after the other, so that keys compare
// bytewise as their values do column by column, and no value's encoding is a prefix of another's.
// Integers are big-endian with the sign flipped. Texts and blobs end in 0x00 0x01; a 0x00 inside is
// written 0x00 0xff, which sorts after the end and before any other byte.
const (
	escape   = 0x00
	escEnd   = 0x01
	escZero  = 0xff
	maxWidth = 8
)

var errKey = errors.New("not a key of this table")

// AppendKey appends the encoding of key, which may be a prefix of t's key columns (a partition, or
// one with some clustering values). The values must have passed a Check function.
func AppendKey(b []byte, t *schema.Table, key Key) []byte {
	for i, v := range key {
		if w := width(column(t, i).Type); w > 0 {
			b = appendNum(b, v.n, w)
		} else {
			b = appendOctets(b, v.s)
		}
	}
	return b
}

// DecodeKey decodes b, which holds one value for each of cols, and appends the values to key.
func DecodeKey(key Key, b []byte, cols []schema.Column) (Key, error) {
	for _, c := range cols {
		var v Value
		var err error
		if w := width(c.Type); w > 0 {
			v, b, err = cutNum(b, w)
		} else {
			v, b, err = cutOctets(b)
		}
		if err != nil {
			return nil, err
		}
		key = append(key, v)
	}
	if len(b) != 0 {
		return nil, errKey
	}
	return key, nil
}

func appendNum(b []byte, n int64, w int) []byte {
	var be [maxWidth]byte
	binary.BigEndian.PutUint64(be[:], uint64(n)^1<<(8*w-1))
	return append(b, be[maxWidth-w:]...)
}

func cutNum(b []byte, w int) (Value, []byte, error) {
	if len(b) < w {
		return Value{}, nil, errKey
	}
	var be [maxWidth]byte
	copy(be[maxWidth-w:], b)
	n := binary.BigEndian.Uint64(be[:]) ^ 1<<(8*w-1)
	shift := 64 - 8*w
	return Num(int64(n) << shift >> shift), b[w:], nil
}

func appendOctets(b []byte, s string) []byte {
	for {
		i := strings.IndexByte(s, escape)
		if i < 0 {
			return append(append(b, s...), escape, escEnd)
		}
		b = append(append(b, s[:i]...), escape, escZero)
		s = s[i+1:]
	}
}

func cutOctets(b []byte) (Value, []byte, error) {
	var head []byte
	for {
		i := bytes.IndexByte(b, escape)
		if i < 0 || i+1 == len(b) {
			return Value{}, nil, errKey
		}
		switch b[i+1] {
		case escEnd:
			return Str(string(head) + string(b[:i])), b[i+2:], nil
		case escZero:
			head = append(head, b[:i+1]...)
			b = b[i+2:]
		default:
			return Value{}, nil, errKey
		}
	}
}

// width is the size of an integer column in bytes; 0 for text and blob.
func width(t schema.ColumnType) int {
	switch t {
	case schema.TinyInt:
		return 1
	case schema.SmallInt:
		return 2
	case schema.Int:
		return 4
	case schema.BigInt:
		return 8
	}
	return 0
}

func column(t *schema.Table, i int) schema.Column {
	if i < len(t.Partition) {
		return t.Partition[i]
	}
	return t.Clustering[i-len(t.Partition)]
}
