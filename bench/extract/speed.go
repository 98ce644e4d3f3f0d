package main

import (
	"bytes"
	"fmt"
	"time"

	"golang.org/x/net/html"

	"millrace/bench/extract/corpus"
	"millrace/consumers/extract/page"
)

// speed prints pages per second of CPU, garbage collection included, and how many times html.Parse
// of the same pages takes: in turns, so that the load of the machine is on both.
func (m *measurement) speed() error {
	pages, err := corpus.Typical(m.dir, sets())
	if err != nil {
		return err
	}
	bodies, size := make([][]byte, len(pages)), 0
	for i := range pages {
		bodies[i] = pages[i].HTML
		size += len(bodies[i])
	}
	used, parsed, err := m.turns(bodies, func(i int) page.Input { return input(&pages[i]) }, 8)
	if err != nil {
		return err
	}
	n := float64(8 * len(pages))
	fmt.Fprintf(m.out, "speed: %d pages of %.1f KB on average, %.0f pages per CPU-second (%.0f us each), %.2f times html.Parse\n",
		len(pages), float64(size)/float64(len(pages))/1000, n/used.Seconds(), used.Seconds()*1e6/n, used.Seconds()/parsed.Seconds())
	return m.treeSpeed(bodies, 8)
}

// turns returns the processor time of extracting pages and of html.Parse of them, each so many
// times.
func (m *measurement) turns(bodies [][]byte, input func(int) page.Input, rounds int) (used, parsed time.Duration, err error) {
	for range rounds {
		start := corpus.CPUTime()
		for i := range bodies {
			m.extractor.Extract(input(i))
		}
		between := corpus.CPUTime()
		for _, b := range bodies {
			if _, err := html.Parse(bytes.NewReader(b)); err != nil {
				return 0, 0, err
			}
		}
		used += between - start
		parsed += corpus.CPUTime() - between
	}
	return used, parsed, nil
}
