package state

// maxCachedBytes bounds the rows that a Batch remembers from reading.
const maxCachedBytes = 16 << 20

// cached is what the store said of a row.
type cached struct {
	row   Row
	found bool
	dated bool // row.TS is known, which Get does not tell
}

// cache remembers rows of the store for one round, up to maxCachedBytes; what
// comes later is read again.
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
