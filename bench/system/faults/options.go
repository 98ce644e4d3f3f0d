//go:build linux

package faults

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Options say what a run is.
type Options struct {
	Dir     string        // of everything: servers, data, logs; must not hold a run yet
	Faults  int           // how many
	Kinds   []Kind        // that are drawn from; none: all
	Seed    uint64        // of the web and the faults
	Hosts   int           // of the web
	Pages   int           // of a host; 0: as many as the faults need, at 40 s each
	Delay   time.Duration // between two requests to a host
	Between int           // requests from one fault to the next
	Brokers int           // brokers: 1 or 3, with as many replicas
	Nodes   int           // of Cassandra: 1 or 3, with as many replicas
	Secured bool          // TLS, SCRAM and rights, as package secured has them
	Log     io.Writer     // what happens when

	// Patience multiplies how long things may take before they count as a hang.
	Patience int
}

// DefaultOptions is a run of 20 faults. Dir and Log must be set.
func DefaultOptions() Options {
	return Options{Faults: 20, Seed: 1, Hosts: 16, Delay: time.Second, Between: 60, Brokers: 1, Nodes: 1, Patience: 1}
}

// Validate reports what cannot work.
func (o Options) Validate() error {
	switch {
	case o.Dir == "" || o.Log == nil:
		return errors.New("faults: Dir and Log must be set")
	case o.Faults < 1 || o.Hosts < 1 || o.Between < 1 || o.Patience < 1:
		return errors.New("faults: Faults, Hosts, Between and Patience must be positive")
	case o.Delay < 100*time.Millisecond:
		return errors.New("faults: Delay must be 100 ms at least")
	}
	if o.Brokers != 1 && o.Brokers != 3 || o.Nodes != 1 && o.Nodes != 3 {
		return fmt.Errorf("faults: %d brokers and %d nodes, want 1 or 3 of each", o.Brokers, o.Nodes)
	}
	if o.Secured && slices.Contains(o.Kinds, Recreate) {
		return errors.New("faults: topics are not made anew on secured servers")
	}
	for _, k := range o.Kinds {
		if k != Recreate && !slices.Contains(Kinds(), k) {
			return fmt.Errorf("faults: no kind %q (kinds: %v, %s)", k, Kinds(), Recreate)
		}
	}
	return nil
}
