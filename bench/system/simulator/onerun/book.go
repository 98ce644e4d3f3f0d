package onerun

import (
	"fmt"
	"sync"
	"time"
)

// maxNotes bounds what is noted of a run that does not end.
const maxNotes = 20_000

// book keeps what happened in a run, and which invariants did not hold. Safe for concurrent use.
type book struct {
	began    time.Time
	mu       sync.Mutex
	notes    []string
	offences []string
}

func (b *book) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.notes) < maxNotes {
		b.notes = append(b.notes, fmt.Sprintf("%10.3f %s", time.Since(b.began).Seconds(), fmt.Sprintf(format, args...)))
	}
}

// offend notes that an invariant was broken.
func (b *book) offend(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	b.note("OFFENCE %s", text)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.offences = append(b.offences, text)
}

// must notes what went wrong in the simulation itself.
func (b *book) must(err error) {
	if err != nil {
		b.offend("the simulation itself: %v", err)
	}
}
