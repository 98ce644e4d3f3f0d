// Package streamstest helps to test Tasks: Recorder is the Link behind a Partition and keeps what a
// Task sends; Options, Config and Start (cluster.go) run a group on a broker in memory with every
// topic provisioned; Marks keeps marks in memory.
package streamstest

import (
	"sync"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// Recorder is a streams.Link that keeps the calls it gets. The zero value is ready; its Fresh is
// true and its Behind is false.
type Recorder struct {
	mu      sync.Mutex
	sends   []streams.Send
	dones   []int64
	drops   map[string]int
	Stale   bool                     // Fresh returns false
	Waiting bool                     // Behind and BehindOn return true
	Easing  bool                     // Eased and Behind return true
	Stopped bool                     // Full and Behind return true
	Raised  int64                    // Era returns 1 + Raised
	Reader  *streams.Log             // what Log returns
	Fail    func(streams.Send) error // the error for a SendNow; nil: none fails
}

// Partition returns a view of partition id of count with the recorder behind it.
func (r *Recorder) Partition(id, count int32) *streams.Partition {
	return streams.NewPartition(id, count, r)
}

// Stage implements streams.Link.
func (r *Recorder) Stage(s streams.Send) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sends = append(r.sends, s)
}

// SendNow implements streams.Link. It calls done before it returns.
func (r *Recorder) SendNow(s streams.Send, done func(error)) {
	var err error
	if r.Fail != nil {
		err = r.Fail(s)
	}
	if err == nil {
		r.Stage(s)
	}
	done(err)
}

// Drop implements streams.Link.
func (r *Recorder) Drop(reason string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.drops == nil {
		r.drops = map[string]int{}
	}
	r.drops[reason] += n
}

// Done implements streams.Link.
func (r *Recorder) Done(offset int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dones = append(r.dones, offset)
}

// Fresh implements streams.Link.
func (r *Recorder) Fresh() bool { return !r.Stale }

// Behind implements streams.Link.
func (r *Recorder) Behind() bool { return r.Waiting || r.Easing || r.Stopped }

// Eased implements streams.Link.
func (r *Recorder) Eased() bool { return r.Easing }

// Full implements streams.Link.
func (r *Recorder) Full() bool { return r.Stopped }

// Era implements streams.Link.
func (r *Recorder) Era() int64 { return 1 + r.Raised }

// BehindOn implements streams.Link.
func (r *Recorder) BehindOn(string) bool { return r.Waiting }

// Log implements streams.Link.
func (r *Recorder) Log() *streams.Log { return r.Reader }

// Take returns what was sent since the last Take, in order.
func (r *Recorder) Take() []streams.Send {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sends
	r.sends = nil
	return s
}

// Dones returns the offsets that were done, in order.
func (r *Recorder) Dones() []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]int64(nil), r.dones...)
}

// Drops returns the number of drops by reason.
func (r *Recorder) Drops() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]int{}
	for k, v := range r.drops {
		out[k] = v
	}
	return out
}

// Decode returns the messages among sends that went to a topic; a tombstone is
// the zero M.
func Decode[M topics.Message](sends []streams.Send, t topics.Topic[M]) ([]M, error) {
	var out []M
	for _, s := range sends {
		if s.Topic != t.Name {
			continue
		}
		var m M
		if s.Value != nil {
			m = t.New()
			if err := m.UnmarshalVT(s.Value); err != nil {
				return nil, err
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// PartitionOf returns the partition, of n, that a send goes to.
func PartitionOf(s streams.Send, n int32) int32 {
	if s.Partition != streams.AnyPartition {
		return s.Partition
	}
	return schema.Partition(s.Route, n)
}
