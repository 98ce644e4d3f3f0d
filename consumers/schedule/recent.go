package schedule

import "millrace/schema"

// recent remembers the row keys last seen to exist: exactly, and at most twice
// its size, in two generations. A known link that is found here needs no read.
type recent struct {
	size        int
	young, aged map[schema.RowKey]struct{}
}

func newRecent(size int) *recent {
	return &recent{size: size, young: map[schema.RowKey]struct{}{}}
}

func (r *recent) has(k schema.RowKey) bool {
	if _, ok := r.young[k]; ok {
		return true
	}
	if _, ok := r.aged[k]; !ok {
		return false
	}
	r.add(k)
	return true
}

func (r *recent) add(k schema.RowKey) {
	if len(r.young) >= r.size {
		r.aged, r.young = r.young, make(map[schema.RowKey]struct{}, r.size)
	}
	r.young[k] = struct{}{}
}
