package seen

import (
	"github.com/bits-and-blooms/bloom/v3"

	"millrace/schema"
)

// Filter is a Bloom filter of row keys. When a generation is full, new keys go to the next one.
type Filter struct {
	generations []*bloom.BloomFilter
	rate        float64
	room, left  uint
}

// NewFilter returns a filter whose first generation has room for that many keys (at least 1,024).
// rate is the part of unknown keys that a generation takes for known.
func NewFilter(keys uint, rate float64) *Filter {
	return &Filter{rate: rate, room: max(keys, 1024) / 4}
}

// Add adds a key.
func (f *Filter) Add(k schema.RowKey) {
	if f.left == 0 {
		f.room *= 4
		f.left = f.room
		f.generations = append(f.generations, bloom.NewWithEstimates(f.room, f.rate))
	}
	f.left--
	f.generations[len(f.generations)-1].AddString(string(k))
}

// May reports whether a key may have been added. false is certain.
func (f *Filter) May(k schema.RowKey) bool {
	for _, g := range f.generations {
		if g.TestString(string(k)) {
			return true
		}
	}
	return false
}
