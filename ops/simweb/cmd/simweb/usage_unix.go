//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// usage is the CPU time of this process so far and the most memory it held.
func usage() (time.Duration, int64, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0, err
	}
	rss := int64(u.Maxrss)
	if runtime.GOOS == "linux" {
		rss <<= 10 // KiB there, bytes on macOS
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), rss, nil
}

// stepBack gives this process the lowest priority.
func stepBack() error { return syscall.Setpriority(syscall.PRIO_PROCESS, os.Getpid(), 19) }
