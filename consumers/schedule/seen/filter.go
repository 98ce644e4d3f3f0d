package seen

import (
	"github.com/bits-and-blooms/bloom/v3"

	"millrace/schema"
)

// Filter is a Bloom filter over the row keys that this owner made. When a
// generation is full the next one takes what is new.
type Filter struct {
	generations []*bloom.BloomFilter
	rate        float64
	room, left  uint
}

// NewFilter returns a filter for so many keys to begin with. rate is the part of
// new keys that it takes for known.
func NewFilter(keys uint, rate float64) *Filter {
	return &Filter{rate: rate, room: max(keys, 1024) / 4}
}

// Add notes a key.
func (f *Filter) Add(k schema.RowKey) {
	if f.left == 0 {
		f.room *= 4
		f.left = f.room
		f.generations = append(f.generations, bloom.NewWithEstimates(f.room, f.rate))
	}
	f.left--
	f.generations[len(f.generations)-1].AddString(string(k))
}

// May reports whether a key may have been added; false is certain.
func (f *Filter) May(k schema.RowKey) bool {
	for _, g := range f.generations {
		if g.TestString(string(k)) {
			return true
		}
	}
	return false
}
