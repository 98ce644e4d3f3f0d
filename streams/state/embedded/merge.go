package embedded

import (
	"bytes"
	"io"

	"github.com/cockroachdb/pebble/v2"
)

// merger tells Pebble how to merge the records of one key. Its name is stored in the directory: a
// store with another layout does not open.
func merger() *pebble.Merger {
	return &pebble.Merger{
		Name: "millrace.row.1",
		Merge: func(_, value []byte) (pebble.ValueMerger, error) {
			return &merging{first: bytes.Clone(value)}, nil
		},
	}
}

// merging is one merge under way. Most have one operand, which is returned as it is, not decoded.
type merging struct {
	first   []byte
	sum     record
	decoded bool
}

func (m *merging) MergeNewer(value []byte) error { return m.add(value) }
func (m *merging) MergeOlder(value []byte) error { return m.add(value) }

func (m *merging) add(value []byte) error {
	if !m.decoded {
		if err := m.sum.decode(m.first); err != nil {
			return err
		}
		m.decoded = true
	}
	var r record
	if err := r.decode(bytes.Clone(value)); err != nil {
		return err
	}
	m.sum.merge(&r)
	return nil
}

// Finish returns the merged record. It keeps a tombstone even if there is nothing older below it:
// an older write may still arrive.
func (m *merging) Finish(bool) ([]byte, io.Closer, error) {
	if !m.decoded {
		return m.first, nil, nil
	}
	return m.sum.append(nil), nil, nil
}
