package dedupe

import (
	"context"
	"slices"

	"github.com/cespare/xxhash/v2"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// fold describes the newest records of all keys of a partition of docs.unique, after a record of
// docs.extracted: the XOR of their hashes, their number and their size. Graves, the id of the topic
// and counts of pages are kept with it.
type fold struct {
	at        int64 // stamp of the record
	digest    uint64
	documents int64
	bytes     int64
	graves    []*schema.Grave
	uniqueID  string // topic id of docs.unique
	uniqueEra int64  // how often the topic was created anew
	pages     tally
}

// tally counts the rows of pages by their status.
type tally [schema.DocRow_SURPLUS + 1]int64

func foldOf(row *schema.FoldRow) fold {
	f := fold{
		at: row.At, digest: row.Digest, documents: row.Documents, bytes: row.Bytes, graves: row.Graves,
		uniqueID: row.UniqueId, uniqueEra: row.UniqueEra,
	}
	copy(f.pages[:], row.Statuses)
	return f
}

// move counts a page whose status changed.
func (p *tally) move(before, after schema.DocRow_Status) {
	if before != schema.DocRow_UNSPECIFIED {
		p[before]--
	}
	p[after]++
}

func (f fold) row() *schema.FoldRow {
	return &schema.FoldRow{
		At: f.at, Digest: f.digest, Documents: f.documents, Bytes: f.bytes, Graves: f.graves,
		UniqueId: f.uniqueID, UniqueEra: f.uniqueEra, Statuses: slices.Clone(f.pages[:]),
	}
}

// standOn notes the id of the topic docs.unique. If it is another one than before, the topic was
// created anew and is empty: what pages are known to have sent is void (the era counts up), and
// each is published when its document comes again.
func (f *fold) standOn(id string) {
	if f.uniqueID != "" && id != f.uniqueID {
		f.digest, f.documents, f.bytes = 0, 0, 0
		f.uniqueEra++
	}
	f.uniqueID = id
}

// replace exchanges the record of a key for another; hash 0 means no record.
func (f *fold) replace(before, after uint64, bytesBefore, bytesAfter int64) {
	f.digest ^= before ^ after
	f.bytes += bytesAfter - bytesBefore
	if before == 0 {
		f.documents++
	}
	if after == 0 {
		f.documents--
	}
}

// bury lists a cluster that lost its last member while it has a text. The text is kept for Window
// offsets, because the output of an earlier record may have to be appended again and may need it.
func (f *fold) bury(c *clusterEntry, ts int64) {
	f.graves = append(f.graves[:len(f.graves):len(f.graves)], &schema.Grave{At: ts, Site: c.site, TextHash: []byte(c.hash)})
}

// opened removes from the list the graves that no record of the last window offsets can need, and
// returns them.
func (f *fold) opened(ts, window int64) []*schema.Grave {
	n := 0
	for _, g := range f.graves {
		now, then := state.Stamp(ts), state.Stamp(g.At)
		if now.Era() == then.Era() && now.Offset() < then.Offset()+window {
			break
		}
		n++
	}
	out := f.graves[:n]
	f.graves = f.graves[n:]
	return out
}

// sweep deletes the texts of the clusters in graves, unless they got members since.
func (r *rows) sweep(ctx context.Context, graves []*schema.Grave) error {
	for _, g := range graves {
		c, err := r.cluster(ctx, g.Site, string(g.TextHash))
		if err != nil {
			return err
		}
		if c.row.Count == 0 && c.row.At == g.At { // else it got members since, or lost them again later
			c.buried, c.dirty = true, true
		}
	}
	return nil
}

// contentHash is the hash of a document without the fields that change while the page does not:
// version, times of fetching and extraction, place in the crawl.
func contentHash(d *schema.Doc) uint64 {
	rev, edition, fetched, extracted, discovered := d.Rev, d.Edition, d.FetchedAt, d.ExtractedAt, d.DiscoveredAt
	score, depth, fit, listed := d.Score, d.Depth, d.Fit, d.ListedAt
	d.Rev, d.Edition, d.FetchedAt, d.ExtractedAt, d.DiscoveredAt = 0, 0, 0, 0, 0
	d.Score, d.Depth, d.Fit, d.ListedAt = 0, 0, false, 0
	h := xxhash.Sum64(streams.Encode(d))
	d.Rev, d.Edition, d.FetchedAt, d.ExtractedAt, d.DiscoveredAt = rev, edition, fetched, extracted, discovered
	d.Score, d.Depth, d.Fit, d.ListedAt = score, depth, fit, listed
	return h
}
