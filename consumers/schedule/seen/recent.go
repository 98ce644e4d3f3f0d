package seen

import "millrace/schema"

// Recent remembers the row keys last seen to exist: exactly, and at most twice its
// size, in two generations.
type Recent struct {
	size        func() int
	young, aged map[schema.RowKey]struct{}
}

// NewRecent returns an empty Recent. size is asked when it matters, since a
// process's room is shared by its partitions.
func NewRecent(size func() int) *Recent {
	return &Recent{size: size, young: map[schema.RowKey]struct{}{}}
}

// Has reports whether a key was seen lately.
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
