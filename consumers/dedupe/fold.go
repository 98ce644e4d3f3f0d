package dedupe

import (
	"context"
	"slices"

	"github.com/cespare/xxhash/v2"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// fold is what stands on a partition of docs.unique after a record of
// docs.extracted: the XOR of the hashes of its records, their number and size.
type fold struct {
	at        int64 // stamp of the record
	digest    uint64
	documents int64
	bytes     int64
	graves    []*schema.Grave
	uniqueID  string // of the topic docs.unique
	uniqueEra int64  // how often it was made anew
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

// move counts a page anew whose status changed.
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

// standOn notes which topic docs.unique is. If it was made anew, nothing stands there:
// what a page is known to have sent counts for nothing, and it is published when its
// document comes again.
func (f *fold) standOn(id string) {
	if f.uniqueID != "" && id != f.uniqueID {
		f.digest, f.documents, f.bytes = 0, 0, 0
		f.uniqueEra++
	}
	f.uniqueID = id
}

// replace puts one record of a key in the place of another; hash 0 = none.
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

// bury lists a cluster that has lost its last member, but has a text: a record
// before this one may have to be appended again, and may need it.
func (f *fold) bury(c *clusterEntry, ts int64) {
	f.graves = append(f.graves[:len(f.graves):len(f.graves)], &schema.Grave{At: ts, Site: c.site, TextHash: []byte(c.hash)})
}

// opened returns the graves that no record of the last window offsets can need,
// and takes them off the list.
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

// sweep deletes the texts of clusters that are dead for long.
func (r *rows) sweep(ctx context.Context, graves []*schema.Grave) error {
	for _, g := range graves {
		c, err := r.cluster(ctx, g.Site, string(g.TextHash))
		if err != nil {
			return err
		}
		if c.row.Count == 0 && c.row.At == g.At { // not alive again, nor dead again
			c.buried, c.dirty = true, true
		}
	}
	return nil
}

// contentHash is the hash of what readers of a document care for: not its
// version, times of fetching and place in the crawl.
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
