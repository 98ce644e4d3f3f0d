package dedupe

import (
	"cmp"

	"github.com/klauspost/compress/s2"

	"millrace/schema"
	"millrace/streams"
)

// subject is the page that a record is about; either doc or gone is set.
type subject struct {
	key, site    string
	rev, edition int64
	doc          *schema.Doc
	gone         *schema.Gone
}

// maxHashBytes is the longest text hash that is accepted.
const maxHashBytes = 64

// read checks a record. A record that it refuses can never be handled and becomes a dead letter:
// its text would not fit in a key of the store, or there is nothing to compare.
func read(r *streams.Record[*schema.Extracted]) (subject, error) {
	var s subject
	switch b := r.Value.GetBody().(type) {
	case *schema.Extracted_Doc:
		if b.Doc == nil {
			return s, streams.DeadLetter("decode", "an empty document")
		}
		d := b.Doc
		s = subject{d.RowKey, d.Site, d.Rev, d.Edition, d, nil}
		if n := len(d.TextHash); n == 0 || n > maxHashBytes {
			return s, streams.DeadLetter("key", "document %q has a text hash of %d bytes", d.RowKey, n)
		}
		if d.Canonical != "" && !schema.StorableRowKey(d.Canonical) {
			return s, streams.DeadLetter("key", "document %q has the canonical %.200q", d.RowKey, d.Canonical)
		}
	case *schema.Extracted_Gone:
		if b.Gone == nil {
			return s, streams.DeadLetter("decode", "an empty Gone")
		}
		g := b.Gone
		s = subject{g.RowKey, g.Site, g.Rev, g.Edition, nil, g}
		if _, ok := schema.Gone_Reason_name[int32(g.Reason)]; !ok || g.Reason == schema.Gone_UNSPECIFIED {
			return s, streams.DeadLetter("enum", "%q is gone for the unknown reason %d", g.RowKey, g.Reason)
		}
	default:
		return s, streams.DeadLetter("enum", "neither Doc nor Gone")
	}
	if !schema.StorableRowKey(s.key) || !schema.Storable(s.site) {
		return s, streams.DeadLetter("key", "row key %.200q of site %.200q", s.key, s.site)
	}
	return s, nil
}

// pointless returns why the record changes nothing of its page, or "".
func (s subject) pointless(row *schema.DocRow) string {
	newer := cmp.Or(cmp.Compare(s.rev, row.Rev), cmp.Compare(s.edition, row.Edition))
	switch {
	case row.Status == schema.DocRow_UNSPECIFIED:
		return ""
	case newer < 0:
		return "older_version"
	case newer == 0:
		return "repeated_version"
	case row.Status == schema.DocRow_TAKEDOWN:
		return "takedown"
	}
	return ""
}

// lacking reports whether the record is the document of a page's present version, which docs.unique
// may lack.
func (s subject) lacking(row *schema.DocRow) bool {
	return s.doc != nil && row.Status != schema.DocRow_TAKEDOWN && s.rev == row.Rev && s.edition == row.Edition
}

// ownPart returns a document without the fields that members of a cluster share (setBody).
func ownPart(d *schema.Doc) *schema.Doc {
	body := bodyPart(d)
	setBody(d, &schema.Doc{})
	own := d.CloneVT()
	setBody(d, body)
	return own
}

// bodyPart returns the fields of a document that the members of a cluster share: text, title,
// headings and what depends on them.
func bodyPart(d *schema.Doc) *schema.Doc {
	b := &schema.Doc{}
	setBody(b, d)
	return b
}

func setBody(d, body *schema.Doc) {
	d.Title, d.Text, d.Summary, d.Headings = body.Title, body.Text, body.Summary, body.Headings
	d.PageStarts = body.PageStarts
	d.LinkShare, d.Comments, d.Sketch = body.LinkShare, body.Comments, body.Sketch
}

// join returns the document with own's fields and the shared fields of body.
func join(own, body *schema.Doc) *schema.Doc {
	d := own.CloneVT()
	setBody(d, body)
	return d
}

// pack encodes and compresses the shared fields of a cluster.
func pack(body *schema.Doc) ([]byte, error) {
	b, err := body.MarshalVT()
	return s2.Encode(nil, b), err
}

func unpack(b []byte) (*schema.Doc, error) {
	raw, err := s2.Decode(nil, b)
	if err != nil {
		return nil, err
	}
	d := &schema.Doc{}
	return d, d.UnmarshalVT(raw)
}
