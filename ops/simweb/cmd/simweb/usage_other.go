//go:build !unix

package main

import (
	"errors"
	"time"
)

func usage() (time.Duration, int64, error) {
	return 0, 0, errors.New("this system does not tell a process its CPU time")
}

func stepBack() error { return errors.New("this system has no priorities known here") }
