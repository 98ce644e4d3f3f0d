package wire

import (
	"os"
	"runtime/debug"
)

// gcPercent lets the heap grow to four times what is alive between two
// collections. The default, twice, costs 8 % of the CPU time of a crawl, this 4 %;
// what is alive is small here (50 MB in a crawl of a few thousand pages).
const gcPercent = 300

// Tune sets the garbage collector for a process that does nothing else. The
// environment variable GOGC has precedence.
func Tune() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
