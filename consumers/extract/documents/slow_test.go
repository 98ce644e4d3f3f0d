//go:build !race

package documents

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"millrace/consumers/extract/documents/documentstest"
)

// The tests of this file are not run with the race detector: it objects to the end of an instance,
// for which go-pdfium says that it takes no lock, and makes compiling the reader a second time, for
// this process, take half a minute.

func TestAPDFThatTakesTooLongIsEndedAndTheNextIsRead(t *testing.T) {
	for name, limit := range map[string]func(*Options){
		"in all": func(o *Options) { o.Timeout = time.Millisecond },
		"a page": func(o *Options) { o.PageTimeout = time.Microsecond },
	} {
		o := DefaultOptions()
		o.CacheDir, o.Workers = compiled, 1
		limit(&o)
		here := newPDFPool(o, true)
		if _, err := here.start(); err != nil {
			t.Fatal(err)
		}
		long := documentstest.PDF(documentstest.PDFOptions{}, slices.Repeat([]string{"word after word"}, 500)...)
		for _, r := range []pdfReader{here, newPDFProcesses(o)} {
			for range 3 { // the place is given back each time
				if d, err := r.read(t.Context(), long); !errors.Is(err, ErrHeavy) && !(err == nil && d.Cut) {
					t.Errorf("%s: %T: %v", name, r, err)
				}
			}
			r.close()
		}
	}
}

func TestAPDFIsTheSameInThisProcessAndInAnother(t *testing.T) {
	there := processes(t, nil)
	here := newPDFPool(there.opts, true)
	t.Cleanup(here.close)
	whole := documentstest.PDF(documentstest.PDFOptions{Title: "Rivers", Author: "Ada", Created: "D:20240131120000+02'00'",
		Links: []string{"https://example.com/source"}, Outline: []string{"Sources", "Mouths"}}, "The source lies high\nand cold", "# Mouths\nThe mouth is wide", "")
	for name, body := range map[string][]byte{
		"whole":  whole,
		"cut":    whole[:len(whole)*2/3],
		"locked": documentstest.PDF(documentstest.PDFOptions{Encrypted: true}, "secret"),
		"empty":  documentstest.PDF(documentstest.PDFOptions{}, ""),
		"none":   []byte("%PDF-1.7"),
	} {
		want, wantErr := here.read(t.Context(), body)
		got, err := there.read(t.Context(), body)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, in this process %+v", name, got, want)
		}
		for _, known := range []error{ErrEncrypted, ErrBroken, ErrHeavy} {
			if errors.Is(err, known) != errors.Is(wantErr, known) {
				t.Errorf("%s: %v, in this process %v", name, err, wantErr)
			}
		}
	}
}
