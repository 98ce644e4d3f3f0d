package shard

import (
	"encoding/binary"
	"errors"

	"millrace/consumers/index/text"
)

// mark is what must be known of a stored document to take it out of the sums again.
type mark struct {
	hash        Digest
	analyser    text.Analyser
	title, body int // tokens
}

func (m mark) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(m.hash))
	b = binary.AppendUvarint(b, uint64(m.title))
	b = binary.AppendUvarint(b, uint64(m.body))
	return append(b, m.analyser...)
}

var errMark = errors.New("stored mark is damaged")

func decodeMark(b []byte) (mark, error) {
	var m mark
	if len(b) < 8 {
		return m, errMark
	}
	m.hash = Digest(binary.BigEndian.Uint64(b))
	b = b[8:]
	title, n := binary.Uvarint(b)
	if n <= 0 {
		return m, errMark
	}
	body, k := binary.Uvarint(b[n:])
	if k <= 0 {
		return m, errMark
	}
	m.title, m.body, m.analyser = int(title), int(body), text.Analyser(b[n+k:])
	return m, nil
}
