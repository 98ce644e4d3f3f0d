package schema

import "github.com/cespare/xxhash/v2"

// PageID is the XXH64 of a page's row key, or of a host: its short name in tables and records of
// links. It is never 0. Two of 10^7 pages share one with a probability of 3 in a million; they
// would share links and rank.
func PageID(name string) uint64 {
	if id := xxhash.Sum64String(name); id != 0 {
		return id
	}
	return 1
}

// PageShard is the state shard of a page's row by its id.
func PageShard(id uint64) int64 { return int64(id % Shards) }
