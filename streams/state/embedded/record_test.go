package embedded

import (
	"bytes"
	"testing"
)

// A damaged file must give an error, and merging must not depend on the order.
func FuzzRecord(f *testing.F) {
	one := record{live: 5, cells: []cell{{ts: 5, value: []byte("a")}, {ts: 3, value: nil}}}
	two := record{deleted: 3, live: 4, cells: []cell{{}, {ts: 4, value: []byte("b")}}}
	f.Add(one.append(nil), two.append(nil))
	f.Add([]byte{9, 0}, []byte{0, 9, 0, 0, 1, 'x'})
	f.Add([]byte{}, []byte{0xff})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		ab, errA := merged(a, b)
		ba, errB := merged(b, a)
		if (errA == nil) != (errB == nil) || !bytes.Equal(ab, ba) {
			t.Fatalf("merge of %x and %x: %x, %v one way, %x, %v the other", a, b, ab, errA, ba, errB)
		}
		if errA != nil {
			return
		}
		again, err := merged(ab, a)
		if err != nil || !bytes.Equal(again, ab) {
			t.Fatalf("merging %x once more gives %x, %v, not %x", a, again, err, ab)
		}
	})
}

func merged(a, b []byte) ([]byte, error) {
	m, err := merger().Merge(nil, a)
	if err != nil {
		return nil, err
	}
	if err := m.MergeNewer(b); err != nil {
		return nil, err
	}
	out, _, err := m.Finish(true)
	return out, err
}
