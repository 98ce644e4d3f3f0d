package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/net/html"

	"millrace/bench/extract/corpus"
	"millrace/consumers/extract/tree"
)

// trees compares the tree of every page of the sets with that of html.Parse.
func (m *measurement) trees() error {
	n := 0
	for _, set := range sets() {
		pages, err := corpus.Load(m.dir, set)
		if err != nil {
			return err
		}
		for i := range pages {
			if err := sameTree(pages[i].HTML); err != nil {
				return fmt.Errorf("%s: %w", pages[i].Key(), err)
			}
		}
		n += len(pages)
	}
	fmt.Fprintf(m.out, "trees: %d pages, all as by html.Parse\n", n)
	return nil
}

// treesBelow does the same for the files of a folder.
func (m *measurement) treesBelow(folder string) error {
	n := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasPrefix(filepath.Ext(path), ".htm") {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := sameTree(body); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		n++
		return nil
	})
	fmt.Fprintf(m.out, "trees: %d pages, all as by html.Parse\n", n)
	return err
}

// treeSpeed prints how many times html.Parse it takes to build the trees of typical pages: in
// turns, in processor time.
func (m *measurement) treeSpeed(bodies [][]byte, rounds int) error {
	var ours, theirs time.Duration
	for range rounds {
		start := corpus.CPUTime()
		for _, b := range bodies {
			if _, err := tree.Parse(string(b)); err != nil {
				return err
			}
		}
		between := corpus.CPUTime()
		for _, b := range bodies {
			if _, err := html.ParseWithOptions(bytes.NewReader(b), html.ParseOptionEnableScripting(false)); err != nil {
				return err
			}
		}
		ours += between - start
		theirs += corpus.CPUTime() - between
	}
	fmt.Fprintf(m.out, "speed of trees: %.2f times html.Parse\n", ours.Seconds()/theirs.Seconds())
	return nil
}

// sameTree returns an error if the tree of a page is not the one of html.Parse.
func sameTree(body []byte) error {
	got, err := tree.Parse(string(body))
	want, wantErr := html.ParseWithOptions(bytes.NewReader(body), html.ParseOptionEnableScripting(false))
	if (err == nil) != (wantErr == nil) {
		return fmt.Errorf("%.200q: error %v, of html.Parse %v", body, err, wantErr)
	}
	if err != nil {
		return nil
	}
	if d := tree.Difference(got, want); d != "" {
		return fmt.Errorf("%.200q: the tree is not that of html.Parse: %s", body, d)
	}
	return nil
}
