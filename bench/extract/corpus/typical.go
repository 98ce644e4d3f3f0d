package corpus

import (
	"syscall"
	"time"
)

// Typical returns the pages of 10 to 40 KB in the given sets, as many as keep the average at 20 KB:
// what speed is stated for.
func Typical(dir string, sets []string) ([]Page, error) {
	var out []Page
	bytes := 0
	for _, set := range sets {
		pages, err := Load(dir, set)
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

// CPUTime returns the processor time of this process in all its threads, garbage collection
// included.
func CPUTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
