package index

import (
	"cmp"
	"unicode/utf8"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/shard"
	"millrace/consumers/sketch"
	"millrace/schema"
	"millrace/streams"
)

// Record is a record of docs.unique.
type Record = streams.Record[*schema.Unique]

// change translates a record into a change of the shard. A record without a row key or a document
// is an error that makes it a dead letter.
func change(r *Record) (shard.Change, error) {
	c := shard.Change{Offset: r.Offset, Key: r.Key}
	if r.Key == "" || len(r.Key) > schema.MaxURLBytes || !utf8.ValidString(r.Key) {
		return c, streams.DeadLetter("key", "a record of docs.unique with a key of %d bytes that is no row key", len(r.Key))
	}
	if r.Tombstone {
		return c, nil
	}
	d := r.Value.GetDoc()
	if d == nil {
		return c, streams.DeadLetter("empty", "%s: no document in the record", r.Key)
	}
	c.Document = &shard.Document{
		Host: d.Host, Hash: shard.Digest(schema.RecordHash(r.Key, r.Bytes)),
		ListedAt: d.ListedAt, Headings: d.Headings, LinkShare: int(d.LinkShare), Near: sketch.Short(d.Sketch),
		Shown: rank.Page{
			URL: d.Url, Title: d.Title, Text: d.Text, Site: d.Site, Lang: d.Lang, Author: d.Author, Type: d.Filetype,
			PublishedAt: d.PublishedAt, FetchedAt: d.FetchedAt, NoSnippet: d.GetDirectives().GetNosnippet(), PageStarts: d.PageStarts,
			NoArchive: d.GetDirectives().GetNoarchive() || d.GetDirectives().GetNosnippet(),
			Date:      cmp.Or(d.PublishedAt, d.ModifiedAt, d.DiscoveredAt, d.FetchedAt),
		},
	}
	return c, nil
}
