package dedupe

import (
	"github.com/cespare/xxhash/v2"

	"millrace/schema"
	"millrace/streams"
)

// fold is what stands on a partition of docs.unique after a record of
// docs.extracted: the XOR of the hashes of its records, and their number.
type fold struct {
	at        int64
	digest    uint64
	documents int64
}

func (f fold) row() *schema.FoldRow {
	return &schema.FoldRow{At: f.at, Digest: f.digest, Documents: f.documents}
}

// turn replaces one record of a key by another; 0 = none.
func (f *fold) turn(before, after uint64) {
	f.digest ^= before ^ after
	if before == 0 {
		f.documents++
	}
	if after == 0 {
		f.documents--
	}
}

// contentHash is the hash of what readers of a document care for: not its
// version, times of fetching and place in the crawl.
func contentHash(d *schema.Doc) uint64 {
	rev, edition, fetched, extracted, discovered := d.Rev, d.Edition, d.FetchedAt, d.ExtractedAt, d.DiscoveredAt
	score, depth, fit := d.Score, d.Depth, d.Fit
	d.Rev, d.Edition, d.FetchedAt, d.ExtractedAt, d.DiscoveredAt = 0, 0, 0, 0, 0
	d.Score, d.Depth, d.Fit = 0, 0, false
	h := xxhash.Sum64(streams.Encode(d))
	d.Rev, d.Edition, d.FetchedAt, d.ExtractedAt, d.DiscoveredAt = rev, edition, fetched, extracted, discovered
	d.Score, d.Depth, d.Fit = score, depth, fit
	return h
}
