package main

import (
	"errors"
	"io"
	"testing"

	"millrace/bench/extract/corpus"
)

// TestHTML5CasesNeverCrash protects the partition from markup that only testers think of.
func TestHTML5CasesNeverCrash(t *testing.T) {
	dir, err := corpus.Dir()
	if errors.Is(err, corpus.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	x, err := newExtractor()
	if err != nil {
		t.Fatal(err)
	}
	m := measurement{dir: dir, extractor: x, out: io.Discard}
	if err := m.html5(); err != nil {
		t.Fatal(err)
	}
	cases, err := corpus.HTML5(dir)
	if err != nil || len(cases) < 8000 {
		t.Fatalf("only %d cases were read: %v", len(cases), err)
	}
}
