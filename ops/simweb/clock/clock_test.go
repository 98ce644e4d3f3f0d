package clock

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestASimulatedClockWakesOnlyWhenItReachesTheTime(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := NewSimulated(start)
	woke := make(chan time.Time, 1)
	go func() {
		if c.Sleep(context.Background(), time.Hour) == nil {
			woke <- c.Now()
		}
	}()
	if err := c.WaitForSleepers(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	c.Advance(59 * time.Minute)
	select {
	case <-woke:
		t.Fatal("woke early")
	default:
	}
	c.Advance(time.Minute)
	if at := <-woke; !at.Equal(start.Add(time.Hour)) {
		t.Fatal(at)
	}
}

func TestASimulatedSleepEndsWithItsContext(t *testing.T) {
	c := NewSimulated(time.Time{})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- c.Sleep(ctx, time.Second) }()
	cancel()
	if err := <-done; err != context.Canceled {
		t.Fatal(err)
	}
}

func TestAScaledClockRunsFasterAndSleepsShorter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		c := NewScaled(start, 60)
		began := time.Now()
		if err := c.Sleep(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		if real, web := time.Since(began), c.Now().Sub(start); real != time.Minute || web != time.Hour {
			t.Fatalf("slept %v, the web's clock moved %v", real, web)
		}
	})
}
