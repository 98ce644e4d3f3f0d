package embedded

// Metrics are the store's figures for a dashboard.
type Metrics struct {
	DiskBytes      uint64 // tables, log, and files that are about to be deleted
	MemTableBytes  uint64
	CacheBytes     int64
	CacheHits      int64
	CacheMisses    int64
	CompactionDebt uint64 // bytes to rewrite until reads are at their best
}

// Metrics returns the current figures. It must not be called after Close.
func (s *Store) Metrics() Metrics {
	m := s.db.Metrics()
	return Metrics{
		DiskBytes: m.DiskSpaceUsage(), MemTableBytes: m.MemTable.Size,
		CacheBytes: m.BlockCache.Size, CacheHits: m.BlockCache.Hits, CacheMisses: m.BlockCache.Misses,
		CompactionDebt: m.Compact.EstimatedDebt,
	}
}
