package shard

import (
	"bytes"
	"encoding/binary"
	"errors"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// mark is stored with a document: what must be known to remove it from digest and totals.
type mark struct {
	hash     Digest
	analyser text.Analyser
	tokens   [rank.Fields]int
}

// encode writes the hash, the tokens of title and body, the analyser, and since layout 3 a zero
// byte and the tokens of the other fields.
func (m mark) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(m.hash))
	b = binary.AppendUvarint(b, uint64(m.tokens[rank.Title]))
	b = binary.AppendUvarint(b, uint64(m.tokens[rank.Body]))
	b = append(append(b, m.analyser...), 0)
	for _, n := range m.tokens[rank.Headings:] {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

var errMark = errors.New("stored mark is damaged")

func decodeMark(b []byte) (mark, error) {
	var m mark
	if len(b) < 8 {
		return m, errMark
	}
	m.hash = Digest(binary.BigEndian.Uint64(b))
	b, err := m.read(b[8:], rank.Title, rank.Body)
	if err != nil {
		return m, err
	}
	name, rest, more := bytes.Cut(b, []byte{0})
	if m.analyser = text.Analyser(name); more {
		_, err = m.read(rest, rank.Headings, rank.Address, rank.Anchors)
	}
	return m, err
}

// read takes token counts off the front of b.
func (m *mark) read(b []byte, fields ...rank.Field) ([]byte, error) {
	for _, f := range fields {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errMark
		}
		m.tokens[f], b = int(v), b[n:]
	}
	return b, nil
}
