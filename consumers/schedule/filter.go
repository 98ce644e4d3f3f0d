package schedule

import (
	"github.com/bits-and-blooms/bloom/v3"

	"millrace/schema"
)

// filter is a Bloom filter over the row keys that this owner made: a link that it
// does not know is new, and needs no read. When a generation is full the next one,
// four times as large, takes what is new.
//
// It is not kept over restarts. So it may be asked only of hosts that were first
// seen after this owner began (task.knowsAll); for the others the store is.
type filter struct {
	generations []*bloom.BloomFilter
	rate        float64
	room, left  uint
}

func newFilter(keys uint, rate float64) *filter {
	return &filter{rate: rate, room: max(keys, 1024) / 4}
}

// add notes a key.
func (f *filter) add(k schema.RowKey) {
	if f.left == 0 {
		f.room *= 4
		f.left = f.room
		f.generations = append(f.generations, bloom.NewWithEstimates(f.room, f.rate))
	}
	f.left--
	f.generations[len(f.generations)-1].AddString(string(k))
}

// may reports whether a key may have been added; false is certain.
func (f *filter) may(k schema.RowKey) bool {
	for _, g := range f.generations {
		if g.TestString(string(k)) {
			return true
		}
	}
	return false
}

// knowsAll reports whether every URL of a host went through this owner's filter.
func (t *task) knowsAll(h *host) bool { return t.ready && h.row.FirstAt > t.began }
