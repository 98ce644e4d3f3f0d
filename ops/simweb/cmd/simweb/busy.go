package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
)

// keepBusy starts one process a processor that does nothing at the lowest
// priority, until stop is called. A processor that has nothing to do sleeps and
// slows down, and what waking it costs, most of all on a virtual machine, is
// charged to the server; beside a crawler at work it never sleeps.
func keepBusy(ctx context.Context) (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var all []*exec.Cmd
	stop = func() {
		for _, c := range all {
			c.Process.Kill()
			c.Wait()
		}
	}
	for range runtime.NumCPU() {
		c := exec.CommandContext(ctx, self, "spin")
		if err := c.Start(); err != nil {
			stop()
			return nil, err
		}
		all = append(all, c)
	}
	return stop, nil
}

// spin keeps one processor busy until the parent of this process ends.
func spin(ctx context.Context) error {
	if err := stepBack(); err != nil {
		return err
	}
	for parent := os.Getppid(); os.Getppid() == parent; {
		for range 1 << 24 {
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.New("the bench is gone")
}
