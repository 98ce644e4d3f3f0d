package state

// maxCachedBytes bounds the rows that a Batch keeps from reading.
const maxCachedBytes = 16 << 20

// cached is the store's answer about a row.
type cached struct {
	row   Row
	found bool
	dated bool // row.TS is known; Get does not return it
}

// cache keeps rows read from the store until Commit, up to maxCachedBytes; rows beyond that are not
// kept and are read again.
type cache struct {
	rows  map[string]cached
	bytes int
}

const cachedOverhead = 256 // bytes of a row in the map, besides its values

func (c *cache) put(name string, row cached) {
	size := len(name) + cachedOverhead
	for _, v := range row.row.Cells {
		size += len(v.s)
	}
	if c.bytes+size > maxCachedBytes {
		return
	}
	c.bytes += size
	c.rows[name] = row
}
