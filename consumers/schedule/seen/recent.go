package seen

import "millrace/schema"

// Recent remembers the keys of URLs that were last seen to exist, in two generations of at most
// size keys each.
type Recent struct {
	size        func() int
	young, aged map[schema.RowKey]struct{}
}

// NewRecent returns an empty Recent. size is called at each Add, since the room of a process is
// shared by its partitions.
func NewRecent(size func() int) *Recent {
	return &Recent{size: size, young: map[schema.RowKey]struct{}{}}
}

// Has reports whether a key was seen lately. A key of the older generation moves to the younger
// one.
func (r *Recent) Has(k schema.RowKey) bool {
	if _, ok := r.young[k]; ok {
		return true
	}
	if _, ok := r.aged[k]; !ok {
		return false
	}
	r.Add(k)
	return true
}

// Add notes a key that exists.
func (r *Recent) Add(k schema.RowKey) {
	if len(r.young) >= r.size() {
		r.aged, r.young = r.young, map[schema.RowKey]struct{}{}
	}
	r.young[k] = struct{}{}
}
