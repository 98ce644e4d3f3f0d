package main

import (
	"fmt"
	"time"

	"millrace/bench/extract/corpus"
	"millrace/consumers/extract/page"
)

// html5 runs every case of the html5lib suites through the extractor; what hangs or panics ends the
// program. The tree of each must be that of html.Parse.
func (m *measurement) html5() error {
	cases, err := corpus.HTML5(m.dir)
	if err != nil {
		return err
	}
	var slowest time.Duration
	for _, c := range cases {
		start := time.Now()
		m.extractor.Extract(page.Input{URL: "http://example.com/", ContentType: "text/html; charset=utf-8", Body: c})
		slowest = max(slowest, time.Since(start))
		if err := sameTree(c); err != nil {
			return err
		}
	}
	fmt.Fprintf(m.out, "html5: %d cases, none crashed or hung, trees as by html.Parse, slowest %.1f ms\n", len(cases), slowest.Seconds()*1000)
	return nil
}
