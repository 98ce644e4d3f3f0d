// Package clock turns real time into the time of a synthetic web.
//
// # Goals
//
// A crawl of days fits into minutes, and a test decides when time passes.
//
// # How it works
//
// A clock is real, scaled (an hour in a minute) or simulated (a test moves it).
//
// # Promises
//
// A simulated clock moves only when a test moves it; a scaled one never goes back.
//
// # On failure
//
// Sleep and WaitForSleepers end with the error of their context.
//
// # Limits
//
// A scaled clock drifts from the wall clock by design. Date headers carry the web's time, not the
// machine's.
package clock

import (
	"context"
	"sync"
	"time"
)

// Clock tells the time of a web and waits in it.
type Clock interface {
	Now() time.Time
	// Sleep waits d of the web's time; it returns early with the context's error.
	Sleep(ctx context.Context, d time.Duration) error
}

// Real is the machine's clock.
type Real struct{}

// Now returns the machine's time.
func (Real) Now() time.Time { return time.Now() }

// Sleep waits d.
func (Real) Sleep(ctx context.Context, d time.Duration) error { return wait(ctx, d) }

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Scaled runs Factor times as fast as the machine's clock, from Start on.
type Scaled struct {
	start  time.Time
	began  time.Time
	factor float64
}

// NewScaled starts a clock at start that runs factor times as fast as real time.
func NewScaled(start time.Time, factor float64) *Scaled {
	return &Scaled{start: start, began: time.Now(), factor: factor}
}

// Now returns the scaled time.
func (c *Scaled) Now() time.Time {
	return c.start.Add(time.Duration(float64(time.Since(c.began)) * c.factor))
}

// Sleep waits d / factor of real time.
func (c *Scaled) Sleep(ctx context.Context, d time.Duration) error {
	return wait(ctx, time.Duration(float64(d)/c.factor))
}

// Simulated stands still until it is moved.
type Simulated struct {
	mu     sync.Mutex
	now    time.Time
	moved  chan struct{} // closed and replaced at each move
	asleep int
	dozed  chan struct{} // closed and replaced when someone falls asleep
}

// NewSimulated returns a clock that stands at start.
func NewSimulated(start time.Time) *Simulated {
	return &Simulated{now: start, moved: make(chan struct{}), dozed: make(chan struct{})}
}

// Now returns where the clock stands.
func (c *Simulated) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock and wakes whoever slept until then.
func (c *Simulated) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	close(c.moved)
	c.moved = make(chan struct{})
}

// WaitForSleepers returns once n wait at the same time, so that a test moves the
// clock only when everyone it means to wake is asleep.
func (c *Simulated) WaitForSleepers(ctx context.Context, n int) error {
	for {
		c.mu.Lock()
		asleep, dozed := c.asleep, c.dozed
		c.mu.Unlock()
		if asleep >= n {
			return nil
		}
		select {
		case <-dozed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Sleep waits until the clock was moved by d.
func (c *Simulated) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	until := c.now.Add(d)
	c.asleep++
	close(c.dozed)
	c.dozed = make(chan struct{})
	defer func() {
		c.asleep--
		c.mu.Unlock()
	}()
	for c.now.Before(until) {
		moved := c.moved
		c.mu.Unlock()
		select {
		case <-moved:
			c.mu.Lock()
		case <-ctx.Done():
			c.mu.Lock()
			return ctx.Err()
		}
	}
	return ctx.Err()
}
