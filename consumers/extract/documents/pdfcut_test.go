package documents

import (
	"bytes"
	"testing"

	"millrace/consumers/extract/documents/documentstest"
)

// A download that ended in the table of objects, or before it, has all its pages.
func TestAPDFThatBreaksOffGivesWhatIsThere(t *testing.T) {
	r := newReader(t, nil)
	whole := documentstest.PDF(documentstest.PDFOptions{}, "The source lies high", "The mouth is wide")
	table := bytes.LastIndex(whole, []byte("xref\n0"))
	trailer := bytes.LastIndex(whole, []byte("trailer"))
	for _, end := range []int{table, table + 40, trailer} {
		d, err := readFile(t, r, whole[:end])
		if err != nil || d.Text != "The source lies high\nThe mouth is wide" || !d.Cut || d.Pages != 2 {
			t.Errorf("cut at %d of %d: %+v, %v", end, len(whole), d, err)
		}
	}
	if d, err := readFile(t, r, whole); err != nil || d.Cut {
		t.Errorf("whole: %+v, %v", d, err)
	}
}
