package main

import (
	"reflect"
	"runtime"
	"sync"
	"testing"

	"millrace/bench/extract/corpus"
)

// TestEveryOpenPageIsReadAlikeOnOneProcessorAndOnEight protects I8 on pages that nobody here wrote:
// ties in the features once fell another way in every run. The pages are read one after the other
// on one processor, then eight at a time on eight. With the race detector it is every eighth page.
func TestEveryOpenPageIsReadAlikeOnOneProcessorAndOnEight(t *testing.T) {
	dir, x := openShared(t)
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	checked := 0
	for _, set := range sets() {
		pages, err := corpus.Load(dir, set)
		if err != nil {
			t.Fatal(err)
		}
		var read []*corpus.Page
		for i := 0; i < len(pages); i += everyPage {
			read = append(read, &pages[i])
		}
		runtime.GOMAXPROCS(1)
		want := make([]any, len(read))
		for i, p := range read {
			want[i] = x.Extract(input(p))
		}
		runtime.GOMAXPROCS(8)
		var all sync.WaitGroup
		for worker := range 8 {
			all.Go(func() {
				for i := worker; i < len(read); i += 8 {
					if !reflect.DeepEqual(any(x.Extract(input(read[i]))), want[i]) {
						t.Errorf("%s was read in two ways", read[i].Key())
					}
				}
			})
		}
		all.Wait()
		checked += len(read)
	}
	if checked < 3000/everyPage {
		t.Fatalf("only %d pages", checked)
	}
	t.Logf("%d pages read twice", checked)
}
