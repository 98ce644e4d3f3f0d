// Command extract measures what the extractor makes of real pages, against the truth of the shared
// page sets.
//
//	go run ./bench/extract                 all sets
//	go run ./bench/extract -set wcxb -v    one set, with the worst pages
//	go run ./bench/extract -manuals DIR    false days of publication on manuals; -v names them
//	go run ./bench/extract -set trees      the tree of each page beside that of html.Parse; with -manuals DIR, of the files below it
//
// It prints text that is checked in as bench/extract/RESULTS.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/pprof"

	"millrace/bench/extract/corpus"
	"millrace/consumers/extract/page"
	"millrace/schema"
)

func main() {
	set := flag.String("set", "", "only this set")
	verbose := flag.Bool("v", false, "name the pages that went wrong")
	manuals := flag.String("manuals", "", "only count false days on manuals, which are unpacked into this folder")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			fmt.Fprintln(os.Stderr, "extract:", err)
			os.Exit(1)
		}
		if err := pprof.StartCPUProfile(f); err == nil {
			defer pprof.StopCPUProfile()
		}
	}
	if err := run(*set, *manuals, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "extract:", err)
		os.Exit(1)
	}
}

func run(set, manuals string, verbose bool) error {
	dir, err := corpus.Dir()
	if err != nil {
		return err
	}
	x, err := newExtractor()
	if err != nil {
		return err
	}
	m := measurement{dir: dir, verbose: verbose, only: set, extractor: x, out: os.Stdout}
	if manuals != "" && set == "trees" {
		return m.treesBelow(manuals)
	}
	if manuals != "" {
		return m.manuals(manuals)
	}
	return m.all()
}

func newExtractor() (*page.Extractor, error) {
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return nil, err
	}
	return page.New(page.DefaultOptions(), canon, nil)
}
