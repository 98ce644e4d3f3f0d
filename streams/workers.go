package streams

import "sync"

// workers are goroutines that are kept between rounds. A Task needs a deep stack; growing a new one
// for every partition in every round cost 2 % of the CPU time of a crawl.
type workers struct {
	jobs chan func()
	n    int
	all  sync.WaitGroup
}

// each calls fn with 0 to n-1, all at the same time, and returns when all have
// returned. It is for one goroutine.
func (h *workers) each(n int, fn func(i int)) {
	if n == 0 {
		return
	}
	h.grow(n - 1)
	var wg sync.WaitGroup
	wg.Add(n - 1)
	for i := range n - 1 {
		h.jobs <- func() {
			defer wg.Done()
			fn(i + 1)
		}
	}
	fn(0)
	wg.Wait()
}

func (h *workers) grow(n int) {
	if h.jobs == nil {
		h.jobs = make(chan func())
	}
	for ; h.n < n; h.n++ {
		h.all.Go(func() {
			for job := range h.jobs {
				job()
			}
		})
	}
}

// close ends the goroutines.
func (h *workers) close() {
	if h.jobs != nil {
		close(h.jobs)
	}
	h.all.Wait()
}
