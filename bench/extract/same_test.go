package main

import (
	"reflect"
	"testing"

	"millrace/bench/extract/corpus"
)

// TestRealPagesAreReadAlikeTwice protects I8 on pages that nobody here wrote: ties in the features
// once fell another way in every run.
func TestRealPagesAreReadAlikeTwice(t *testing.T) {
	dir, x := openShared(t)
	checked := 0
	for _, set := range []string{"extract/wcxb", "extract/trafilatura_eval", "extract/daniel_waddle", "extract/fundus"} {
		pages, err := corpus.Load(dir, set)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(pages); i += 8 {
			if in := input(&pages[i]); !reflect.DeepEqual(x.Extract(in), x.Extract(in)) {
				t.Errorf("%s was read in two ways", pages[i].Key())
			}
			checked++
		}
	}
	if checked < 200 {
		t.Fatalf("only %d pages", checked)
	}
}
