package judge

import (
	"errors"
	"time"

	"millrace/ops/simweb/truth"
	"millrace/ops/simweb/world"
)

// Options say what is held against a crawler.
type Options struct {
	// Delay is the least time between the starts of two requests of one key.
	Delay time.Duration
	// Tolerance is the part of the delay that jitter may take.
	Tolerance float64
	// CrawlDelay says whether a host's own Crawl-delay counts if it is longer.
	CrawlDelay bool
	// Agent is the product token that robots files are read by; requests whose
	// User-Agent does not name it are counted.
	Agent string
	// WebTime measures gaps by the web's clock instead of the machine's.
	WebTime bool
	// RepeatWithin makes a fetch of a URL so soon after the last a repeat; 0
	// counts every second fetch.
	RepeatWithin time.Duration
	// Truth to compare with; nil leaves completeness out.
	Truth *truth.Truth
	// Samples is the number of points of staleness over time.
	Samples int
	// Examples is how many offences of each kind are named.
	Examples int
}

// DefaultOptions measures against a delay of one second.
func DefaultOptions() Options {
	return Options{
		Delay: time.Second, Tolerance: 0.005, CrawlDelay: true, Agent: "millrace",
		Samples: 10, Examples: 20,
	}
}

// Validate says what is wrong.
func (o Options) Validate() error {
	switch {
	case o.Delay < 0 || o.RepeatWithin < 0:
		return errors.New("judge: durations must not be negative")
	case o.Tolerance < 0 || o.Tolerance >= 1:
		return errors.New("judge: tolerance must be within 0..1")
	case o.Agent == "":
		return errors.New("judge: agent is empty")
	case o.Samples < 0 || o.Examples < 0:
		return errors.New("judge: samples and examples must not be negative")
	}
	return nil
}

// delay returns the pause between two requests to a host: Delay, or the longer one of its
// robots.txt if CrawlDelay is set.
func (o Options) delay(w *world.World, h world.Host) time.Duration {
	if !o.CrawlDelay {
		return o.Delay
	}
	return max(o.Delay, truth.Delay(w.RobotsOf(h), o.Agent))
}

// floor is the gap below which a request is early.
func (o Options) floor(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (1 - o.Tolerance))
}
