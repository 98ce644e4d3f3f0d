package main

import (
	"errors"
	"io"
	"testing"

	"millrace/bench/extract/corpus"
	"millrace/bench/outside"
	"millrace/consumers/extract/page"
)

// outside is where the shared pages are, and what reads them.
func openShared(t *testing.T) (dir string, x *page.Extractor) {
	t.Helper()
	dir, err := corpus.Dir()
	if errors.Is(err, outside.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if x, err = newExtractor(); err != nil {
		t.Fatal(err)
	}
	return dir, x
}

// TestHTML5CasesNeverCrash protects the partition from markup that only testers think of.
func TestHTML5CasesNeverCrash(t *testing.T) {
	dir, x := openShared(t)
	m := measurement{dir: dir, extractor: x, out: io.Discard}
	if err := m.html5(); err != nil {
		t.Fatal(err)
	}
	cases, err := corpus.HTML5(dir)
	if err != nil || len(cases) < 8000 {
		t.Fatalf("only %d cases were read: %v", len(cases), err)
	}
}
