package main

import (
	"fmt"

	"millrace/bench/extract/corpus"
)

// speed prints pages per second of CPU, garbage collection included.
func (m *measurement) speed() error {
	pages, err := corpus.Typical(m.dir, sets())
	if err != nil {
		return err
	}
	bytes := 0
	for _, p := range pages {
		bytes += len(p.HTML)
	}
	const rounds = 8
	start := corpus.CPUTime()
	for range rounds {
		for i := range pages {
			m.extractor.Extract(input(&pages[i]))
		}
	}
	used := corpus.CPUTime() - start
	n := rounds * len(pages)
	fmt.Fprintf(m.out, "speed: %d pages of %.1f KB on average, %.0f pages per CPU-second (%.0f us each)\n",
		len(pages), float64(bytes)/float64(len(pages))/1000, float64(n)/used.Seconds(), used.Seconds()*1e6/float64(n))
	return nil
}
