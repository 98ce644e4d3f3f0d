//go:build !race

package documents

import (
	"errors"
	"slices"
	"testing"
	"time"

	"millrace/consumers/extract/documents/documentstest"
)

// go-pdfium says that ending an instance takes no lock, so the race detector objects to it; hence
// the build tag.
func TestAPDFThatTakesTooLongIsEndedAndTheNextIsRead(t *testing.T) {
	for name, limit := range map[string]func(*Options){
		"in all": func(o *Options) { o.Timeout = time.Millisecond },
		"a page": func(o *Options) { o.PageTimeout = time.Microsecond },
	} {
		r := newReader(t, func(o *Options) { o.Workers = 1; limit(o) })
		if _, err := r.pdf.start(); err != nil {
			t.Fatal(err)
		}
		long := documentstest.PDF(documentstest.PDFOptions{}, slices.Repeat([]string{"word after word"}, 500)...)
		for range 3 { // the place is given back each time
			if d, err := readFile(t, r, long); !errors.Is(err, ErrHeavy) && !(err == nil && d.Cut) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
