package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// signalled is the cause of a context that a signal ended.
type signalled struct{ signal os.Signal }

// Error implements error.
func (s *signalled) Error() string { return s.signal.String() }

// Unwrap makes it the usual end of a context.
func (s *signalled) Unwrap() error { return context.Canceled }

// stoppedError is the end of a command that was asked to stop before it was done.
type stoppedError struct {
	said string // what is done, and how to go on; "": it was said already
}

// Error implements error.
func (e *stoppedError) Error() string { return "stopped: " + e.said }

// stopped returns the end of a command that was asked to stop, if ctx has ended, with what it says
// of it. What failed because of that is not told. Else it returns err.
func stopped(ctx context.Context, err error, said string, args ...any) error {
	if ctx.Err() == nil {
		return err
	}
	return &stoppedError{fmt.Sprintf(said, args...)}
}

// exitStopped returns the exit code of a command that a signal ended before it was done, as shells
// have it.
func exitStopped(ctx context.Context) int {
	var by *signalled
	if errors.As(context.Cause(ctx), &by) && by.signal == syscall.SIGTERM {
		return exitTerminated
	}
	return exitForced
}

// endOf says on standard error why a command that was asked to stop has ended, and returns its exit
// code. For a command that goes on until it is stopped that is no failure.
func (c *call) endOf(ctx context.Context, err error, stderr io.Writer) int {
	var early *stoppedError
	switch {
	case errors.As(err, &early) && early.said != "":
		fmt.Fprintf(stderr, "millrace: %s\n", oneLine(err))
		return exitStopped(ctx)
	case errors.As(err, &early):
		return exitStopped(ctx)
	case errors.Is(err, context.Canceled) && c.lasts:
		return exitOK
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "millrace: stopped before it was done\n")
		return exitStopped(ctx)
	}
	fmt.Fprintf(stderr, "millrace: %s\n", oneLine(err))
	return exitFailure
}
