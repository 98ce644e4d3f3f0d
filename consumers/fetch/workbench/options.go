package workbench

import (
	"errors"
	"time"
)

// Options are the settings of a Bench.
type Options struct {
	Hold       time.Duration // an item that cannot start within this time after Add is deferred
	Guard      float64       // part of a delay that is added to it, against network jitter
	SiteDelay  time.Duration // between two starts of the keys of one site at one address
	AddressGap time.Duration // between two starts at an address that several sites share; 0: none
	ClassStep  time.Duration // head start of a class over the next
	InFlight   int           // most leases outside the slow lane; the slow lane may have twice as many
	Reserve    int           // further leases for urgent items
	Urgent     uint8         // classes up to this one are urgent
	PerSite    int           // most leases of one site
	PerAddress int           // most leases of one address
	SlowAfter  time.Duration // a request that takes longer moves to the slow lane
}

// DefaultOptions returns the start values.
func DefaultOptions() Options {
	return Options{
		Hold:       60 * time.Second,
		Guard:      0.005,
		SiteDelay:  time.Second,
		AddressGap: 100 * time.Millisecond,
		ClassStep:  5 * time.Second, // as politeness.Lead in schedule
		InFlight:   256,
		Reserve:    64,
		Urgent:     0, // retries (class 1) are not urgent: they are often of slow hosts
		PerSite:    64,
		PerAddress: 64,
		SlowAfter:  time.Second,
	}
}

// Validate reports the first setting that makes no sense.
func (o Options) Validate() error {
	switch {
	case o.Hold <= 0:
		return errors.New("workbench: Hold must be positive")
	case o.Guard < 0 || o.Guard > 1:
		return errors.New("workbench: Guard must be between 0 and 1")
	case o.SiteDelay < 0 || o.AddressGap < 0 || o.ClassStep < 0:
		return errors.New("workbench: a delay is negative")
	case o.InFlight <= 0 || o.Reserve < 0:
		return errors.New("workbench: InFlight must be positive, Reserve must not be negative")
	case o.PerSite <= 0 || o.PerAddress <= 0 || o.SlowAfter <= 0:
		return errors.New("workbench: PerSite, PerAddress and SlowAfter must be positive")
	}
	return nil
}
