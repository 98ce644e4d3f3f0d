package dedupe

import (
	"sync"
)

// Deduper is the group in this process. It is safe for concurrent use.
type Deduper struct {
	opts Options
	deps Deps

	mu   sync.Mutex
	live map[int32]int64 // bytes of the documents published, by partition
}

// Live returns the bytes of the published documents in the partitions that this process owns, and
// the limit.
func (d *Deduper) Live() (bytes, limit int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range d.live {
		bytes += n
	}
	return bytes, d.opts.MaxLiveBytes
}

// Full reports whether the published documents exceed MaxLiveBytes. It matters on the built-in
// broker only (Deps.Trimmer): the groups that emit URLs should stop then. dedupe itself goes on
// with what was fetched already.
func (d *Deduper) Full() bool {
	bytes, limit := d.Live()
	return d.deps.Trimmer != nil && bytes > limit
}

// noteLive notes the bytes of a partition's documents, and logs when the limit is crossed.
func (d *Deduper) noteLive(partition int32, bytes int64) {
	was := d.Full()
	d.mu.Lock()
	d.live[partition] = bytes
	d.mu.Unlock()
	if full := d.Full(); full != was {
		live, limit := d.Live()
		d.deps.Logger.Warn("documents of this crawl and the room for them: above it nothing new is fetched",
			"full", full, "bytes", live, "limit", limit)
	}
}

func (d *Deduper) forget(partition int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.live, partition)
}
