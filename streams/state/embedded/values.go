package embedded

import (
	"encoding/binary"

	"millrace/schema"
	"millrace/streams/state"
)

// Cells are stored as CQL serialises them, so that "the larger value wins" means
// the same in every Store: a text or blob as it is, an integer big-endian in two's
// complement.

func storeValue(t schema.ColumnType, v state.Value) []byte {
	switch t {
	case schema.TinyInt:
		return []byte{byte(v.Num())}
	case schema.SmallInt:
		return binary.BigEndian.AppendUint16(nil, uint16(v.Num()))
	case schema.Int:
		return binary.BigEndian.AppendUint32(nil, uint32(v.Num()))
	case schema.BigInt:
		return binary.BigEndian.AppendUint64(nil, uint64(v.Num()))
	}
	return v.Bytes()
}

func loadValue(t schema.ColumnType, b []byte) state.Value {
	if t == schema.Text || t == schema.Blob {
		return state.Bytes(b)
	}
	n := int64(0)
	for i, c := range b {
		if i == 0 {
			n = int64(int8(c))
			continue
		}
		n = n<<8 | int64(c)
	}
	return state.Num(n)
}
