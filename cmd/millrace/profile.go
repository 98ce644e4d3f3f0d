package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
)

// profiled calls run, and writes a CPU profile of it to a file if one is named.
func profiled(file string, run func() error) error {
	if file == "" {
		return run()
	}
	f, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("cpuprofile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return errors.Join(fmt.Errorf("cpuprofile: %w", err), f.Close())
	}
	err = run()
	pprof.StopCPUProfile()
	return errors.Join(err, f.Close())
}
