package seen

import (
	"hash/maphash"

	"millrace/schema"
)

// Recent remembers the URLs that were last seen to exist, in two generations of at most size
// fingerprints each. A fingerprint takes about 20 bytes.
type Recent struct {
	size        func() int
	seeds       [2]maphash.Seed
	young, aged map[fingerprint]struct{}
}

// fingerprint is 96 bits of two hashes of a row key. Their seeds are random, so nobody outside can
// make two URLs with the same one; with 10^7 URLs a new one is taken for known once in 10^22.
type fingerprint [3]uint32

// NewRecent returns an empty Recent. size is called at each Add, since the room of a process is
// shared by its partitions.
func NewRecent(size func() int) *Recent {
	return &Recent{size: size, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		young: map[fingerprint]struct{}{}}
}

func (r *Recent) print(k schema.RowKey) fingerprint {
	a, b := maphash.String(r.seeds[0], string(k)), maphash.String(r.seeds[1], string(k))
	return fingerprint{uint32(a), uint32(a >> 32), uint32(b)}
}

// Has reports whether a key was seen lately. A key of the older generation moves to the younger
// one.
func (r *Recent) Has(k schema.RowKey) bool {
	p := r.print(k)
	if _, ok := r.young[p]; ok {
		return true
	}
	if _, ok := r.aged[p]; !ok {
		return false
	}
	r.add(p)
	return true
}

// Add notes a key that exists.
func (r *Recent) Add(k schema.RowKey) { r.add(r.print(k)) }

func (r *Recent) add(p fingerprint) {
	if len(r.young) >= r.size() {
		r.aged, r.young = r.young, map[fingerprint]struct{}{}
	}
	r.young[p] = struct{}{}
}
