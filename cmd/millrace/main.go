package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"millrace/cmd/wire"
	"millrace/consumers/extract/documents"
)

// The exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
	exitForced  = 130 // as shells say of a program ended by Ctrl-C

	exitTerminated = 143 // the same by SIGTERM
)

func main() {
	documents.ServePDFs()
	wire.Tune()
	ctx, stop := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		stop(&signalled{<-signals})
		<-signals
		os.Exit(exitForced)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run does what a command line says, until it is done or ctx ends, and returns
// the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		overview(stderr)
		return exitUsage
	}
	c := &call{environ: os.Environ(), stdin: stdin, output: output{stdout, stderr}, first: args[0]}
	err := c.tree(args)
	if err == nil {
		c.root.SetArgs(args)
		err = c.root.ExecuteContext(ctx)
	}
	var wrong *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "millrace: %s\n", oneLine(err))
		return exitUsage
	case ctx.Err() != nil:
		return c.endOf(ctx, err, stderr)
	}
	fmt.Fprintf(stderr, "millrace: %s\n", oneLine(err))
	return exitFailure
}

// oneLine is an error's text without line breaks: joined errors have them.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ")
}

// usageError is a command line that cannot be.
type usageError struct {
	err  error
	help string // the command whose help says more
}

// Error implements error.
func (e *usageError) Error() string {
	return fmt.Sprintf("%v (see millrace %s)", e.err, strings.TrimSpace("help "+e.help))
}

// Unwrap returns the cause.
func (e *usageError) Unwrap() error { return e.err }

// misuse is an error of the command line; the tree adds the command's name.
func misuse(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}
