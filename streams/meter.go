package streams

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Meter counts what the groups of a process do. Safe for concurrent use.
type Meter struct {
	mu     sync.Mutex
	counts map[Count]int64
	ages   map[string]*Ages
	held   map[string][]Held

	changed chan struct{} // closed at the next change; nil: nobody waits for one
}

// Count is the name of a counter: a group; what happened (handled, dropped, dead_letter = made a
// dead letter, retried, failed_ticks, misrouted, rounds with records, commits, refused_commits,
// aborted transactions, rejoined, eras, lost records, sent, sent_bytes); and a label (the reason of
// a drop, the kind of a dead letter or of a failed Tick, the topic of what was read or sent).
type Count struct{ Group, What, Label string }

// CountValue is a counter and its value.
type CountValue struct {
	Count
	Value int64
}

// Ages is a histogram of the age of records when they were handled.
type Ages struct {
	Count   int64
	Seconds float64 // sum
	Buckets []int64 // Buckets[i] counts ages up to AgeBounds()[i] and above the bound before; the last one counts the rest
}

// AgeBounds returns the upper bounds of the buckets of Ages.
func AgeBounds() []time.Duration {
	return []time.Duration{
		10 * time.Millisecond, 100 * time.Millisecond, time.Second, 5 * time.Second,
		30 * time.Second, 5 * time.Minute, time.Hour, 12 * time.Hour,
	}
}

// NewMeter returns a Meter with no counts.
func NewMeter() *Meter {
	return &Meter{counts: map[Count]int64{}, ages: map[string]*Ages{}, held: map[string][]Held{}}
}

func (m *Meter) hold(group string, held []Held) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held[group] = held
	m.tell()
}

// Changed returns a channel that is closed when a counter or Held changes. Take it before you read
// the value that you wait for.
func (m *Meter) Changed() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.changed == nil {
		m.changed = make(chan struct{})
	}
	return m.changed
}

// tell wakes who waits for a change. The caller holds mu.
func (m *Meter) tell() {
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// Held lists the readers that a group of this process waits for.
func (m *Meter) Held(group string) []Held {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.held[group])
}

func (m *Meter) count(group, what, label string, n int) {
	m.mu.Lock()
	m.counts[Count{group, what, label}] += int64(n)
	m.tell()
	m.mu.Unlock()
}

// Add adds to a counter.
func (m *Meter) Add(c Count, n int64) {
	m.mu.Lock()
	m.counts[c] += n
	m.tell()
	m.mu.Unlock()
}

func (m *Meter) sent(group, topic string, size int) {
	m.mu.Lock()
	m.counts[Count{group, "sent", topic}]++
	m.counts[Count{group, "sent_bytes", topic}] += int64(size)
	m.tell()
	m.mu.Unlock()
}

func (m *Meter) handled(group string, age time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[Count{group, "handled", ""}]++
	a := m.ages[group]
	if a == nil {
		a = &Ages{Buckets: make([]int64, len(AgeBounds())+1)}
		m.ages[group] = a
	}
	a.Count++
	a.Seconds += age.Seconds()
	i, _ := slices.BinarySearch(AgeBounds(), age)
	a.Buckets[i]++
	m.tell()
}

// Counts returns all counters, sorted.
func (m *Meter) Counts() []CountValue {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]CountValue, 0, len(m.counts))
	for c, v := range m.counts {
		out = append(out, CountValue{c, v})
	}
	slices.SortFunc(out, func(a, b CountValue) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.What, b.What), cmp.Compare(a.Label, b.Label))
	})
	return out
}

// Value returns one counter.
func (m *Meter) Value(group, what, label string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts[Count{group, what, label}]
}

// Ages returns the histograms by group.
func (m *Meter) Ages() map[string]Ages {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]Ages{}
	for g, a := range m.ages {
		c := *a
		c.Buckets = slices.Clone(a.Buckets)
		out[g] = c
	}
	return out
}
