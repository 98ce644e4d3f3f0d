package main

import (
	"fmt"
	"syscall"
	"time"

	"millrace/bench/extract/corpus"
)

// speedPages returns real pages of 10 to 40 KB, 20 on average: what the goal is stated for.
func (m *measurement) speedPages() ([]corpus.Page, error) {
	var out []corpus.Page
	bytes := 0
	for _, set := range sets() {
		pages, err := corpus.Load(m.dir, set)
		if err != nil {
			return nil, err
		}
		for _, p := range pages {
			if n := len(p.HTML); n >= 10_000 && n <= 40_000 && (n <= 20_000 || bytes+n <= 20_500*(len(out)+1)) {
				out = append(out, p)
				bytes += n
			}
		}
	}
	return out, nil
}

// speed prints pages per second of CPU, garbage collection included.
func (m *measurement) speed() error {
	pages, err := m.speedPages()
	if err != nil {
		return err
	}
	bytes := 0
	for _, p := range pages {
		bytes += len(p.HTML)
	}
	const rounds = 3
	start := cpuTime()
	for range rounds {
		for i := range pages {
			m.extractor.Extract(input(&pages[i]))
		}
	}
	used := cpuTime() - start
	n := rounds * len(pages)
	fmt.Fprintf(m.out, "speed: %d pages of %.1f KB on average, %.0f pages per CPU-second (%.0f us each)\n",
		len(pages), float64(bytes)/float64(len(pages))/1000, float64(n)/used.Seconds(), used.Seconds()*1e6/float64(n))
	return nil
}

// cpuTime is what this process has used, in all its threads.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
