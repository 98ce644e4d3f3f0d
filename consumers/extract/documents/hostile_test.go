package documents

import (
	"errors"
	"strings"
	"testing"

	"millrace/consumers/extract/documents/documentstest"
	"millrace/schema"
)

// Files that were made to do harm end with a reason or with the text that is in them, and whatever
// came before, the next document is read by the same reader.
func TestHostileFilesEndWithAReasonAndTheNextIsRead(t *testing.T) {
	r := newReader(t, func(o *Options) { o.Workers, o.MaxUnpacked, o.MaxText = 1, 10<<20, 256<<10 })
	good := map[schema.FileFamily][]byte{
		schema.PDF: documentstest.PDF(documentstest.PDFOptions{}, "next"), schema.RTF: []byte(`{\rtf1 next\par}`), schema.OLE: word97("next\r"),
		schema.Zip: documentstest.DOCX("", documentstest.Paragraph("", "next")),
	}
	reasons := map[string]error{"encrypted": ErrEncrypted, "no text": ErrNoText, "heavy": ErrHeavy, "broken": ErrBroken, "unknown": ErrUnknown}
	for _, h := range documentstest.HostileFiles(1) {
		body := h.Make()
		family := schema.FamilyOf(body, "")
		if family == schema.NoFile {
			t.Errorf("%s: not taken for a document", h.Name)
			continue
		}
		d, err := r.Read(t.Context(), family, body)
		check(t, r.opts, d, err)
		switch want := reasons[h.Want]; {
		case want != nil && !errors.Is(err, want):
			t.Errorf("%s: %v; want %v", h.Name, err, want)
		case h.Want == "?":
		case h.Want == "cut":
			if err != nil || !d.Cut || len(d.Text) < r.opts.MaxText/2 {
				t.Errorf("%s: %+v, %v", h.Name, d, err)
			}
		case want == nil && (err != nil || d.Text != h.Want):
			if d == nil {
				d = &Document{}
			}
			t.Errorf("%s: %d bytes of text, %.60q, %v; want %q", h.Name, len(d.Text), d.Text, err, h.Want)
		}
		if d, err := r.Read(t.Context(), family, good[family]); err != nil || strings.TrimSpace(d.Text) != "next" {
			t.Errorf("after %s: %+v, %v", h.Name, d, err)
		}
	}
}
