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

// Live returns the bytes of the documents that stand in the partitions that this
// process owns, and the most there may be.
func (d *Deduper) Live() (bytes, limit int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range d.live {
		bytes += n
	}
	return bytes, d.opts.MaxLiveBytes
}

// Full reports whether there are more documents than docs.unique may keep. It is
// for the built-in broker: who emits URLs should stop then. dedupe itself goes on
// with what was fetched already.
func (d *Deduper) Full() bool {
	bytes, limit := d.Live()
	return d.deps.Trimmer != nil && bytes > limit
}

// noteLive notes the documents of a partition, and says when the topic became full.
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
