package crash

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// binary builds the program once, with the race detector if the test has it.
func binary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "millrace")
	args := []string{"build", "-o", path}
	if raceEnabled {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, "millrace/cmd/millrace")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// process is a running millrace.
type process struct {
	cmd  *exec.Cmd
	out  *buffer
	done chan error
}

// buffer keeps what a process prints.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String returns all of it.
func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func begin(t *testing.T, bin string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(bin, args...), out: &buffer{}, done: make(chan error, 1)}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	p.cmd.Env = append(os.Environ(), "GORACE=halt_on_error=1")
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.done <- p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// kill ends the process with -9; it must have been alive.
func (p *process) kill(t *testing.T) {
	t.Helper()
	_ = p.cmd.Process.Kill()
	err := <-p.done
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("the process ended by itself before it was killed: %v\n%s", err, p.out)
	}
}

// wait returns when the process has ended by itself, with exit 0.
func (p *process) wait(t *testing.T, within time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), within, fmt.Errorf("%s have passed", within))
	defer cancel()
	p.ends(ctx, t)
}

// ends waits until the process has ended, without an error.
func (p *process) ends(ctx context.Context, t *testing.T) {
	t.Helper()
	select {
	case err := <-p.done:
		if err != nil {
			t.Fatalf("ended with %v\n%s", err, p.out)
		}
	case <-ctx.Done():
		t.Fatalf("did not end: %v\n%s", context.Cause(ctx), p.out)
	}
}

// interrupt asks the process to finish and waits for it.
func (p *process) interrupt(t *testing.T) {
	t.Helper()
	_ = p.cmd.Process.Signal(os.Interrupt)
	p.wait(t, 20*time.Second)
}
