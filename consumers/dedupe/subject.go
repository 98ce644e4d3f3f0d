package dedupe

import (
	"cmp"

	"google.golang.org/protobuf/proto"

	"millrace/schema"
	"millrace/streams"
)

// subject is the page that a record is about: it has a document, or none.
type subject struct {
	key, site    string
	rev, edition int64
	doc          *schema.Doc
	gone         *schema.Gone
}

// read checks a record.
func read(r *streams.Record[*schema.Extracted]) (subject, error) {
	var s subject
	switch b := r.Value.GetBody().(type) {
	case *schema.Extracted_Doc:
		d := b.Doc
		s = subject{d.RowKey, d.Site, d.Rev, d.Edition, d, nil}
		if len(d.TextHash) == 0 {
			return s, streams.Poison("key", "document %s has no text hash", d.RowKey)
		}
	case *schema.Extracted_Gone:
		g := b.Gone
		s = subject{g.RowKey, g.Site, g.Rev, g.Edition, nil, g}
		if _, ok := schema.Gone_Reason_name[int32(g.Reason)]; !ok || g.Reason == schema.Gone_UNSPECIFIED {
			return s, streams.Poison("enum", "%s is gone for the unknown reason %d", g.RowKey, g.Reason)
		}
	default:
		return s, streams.Poison("enum", "neither Doc nor Gone")
	}
	if s.key == "" || s.site == "" {
		return s, streams.Poison("key", "a record without row key or site")
	}
	return s, nil
}

func (s subject) compare(row *schema.DocRow) int {
	return cmp.Or(cmp.Compare(s.rev, row.Rev), cmp.Compare(s.edition, row.Edition))
}

// older reports whether the page has had a newer version.
func (s subject) older(row *schema.DocRow) bool { return row.At != 0 && s.compare(row) < 0 }

// same reports whether the page has this version.
func (s subject) same(row *schema.DocRow) bool { return row.At != 0 && s.compare(row) == 0 }

// cluster is the hash of the cluster that a page is a member of; "" = none.
func cluster(row *schema.DocRow) string {
	if row.Status == schema.DocRow_LIVE {
		return string(row.TextHash)
	}
	return ""
}

func siteOf(row *schema.DocRow, otherwise string) string {
	if row.Own != nil {
		return row.Own.Site
	}
	return otherwise
}

// ownPart is a document without what its twins have too.
func ownPart(d *schema.Doc) *schema.Doc {
	own := proto.Clone(d).(*schema.Doc)
	own.Title, own.Text, own.Summary, own.Headings = "", "", "", nil
	return own
}

// bodyPart is what the members of a cluster have in common.
func bodyPart(d *schema.Doc) *schema.Doc {
	return &schema.Doc{Title: d.Title, Text: d.Text, Summary: d.Summary, Headings: d.Headings}
}

// join puts the two parts together.
func join(own, body *schema.Doc) *schema.Doc {
	d := proto.Clone(own).(*schema.Doc)
	d.Title, d.Text, d.Summary, d.Headings = body.Title, body.Text, body.Summary, body.Headings
	return d
}
