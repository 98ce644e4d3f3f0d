//go:build linux

package faults

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a running millrace.
type process struct {
	name  string
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has ended
	err   error         // as which it ended; read after ended

	mu    sync.Mutex
	ready map[string]time.Time // when a partition of a group was last ready, by group
	eras  []string             // what it said of logs that changed
	broke bool                 // it said that it left work undone
}

// begin starts the program; what it prints goes to a file NAME.log in dir.
func begin(bin, dir, name string, args ...string) (*process, error) {
	log, err := os.OpenFile(filepath.Join(dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	p := &process{name: name, cmd: exec.Command(bin, args...), ended: make(chan struct{}), ready: map[string]time.Time{}}
	said, out := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = out, out
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	var heard sync.WaitGroup
	heard.Go(func() { p.hear(said, log) })
	go func() {
		p.err = p.cmd.Wait()
		_ = out.Close()
		heard.Wait()
		_ = log.Close()
		close(p.ended)
	}()
	return p, nil
}

// hear copies what the process prints, and notes what is asked of it here.
func (p *process) hear(from io.Reader, to io.Writer) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		fmt.Fprintf(to, "%s\n", line)
		p.mu.Lock()
		switch {
		case strings.Contains(line, `"partition ready"`):
			p.ready[attr(line, "group")] = time.Now()
		case strings.Contains(line, "a new era begins"):
			p.eras = append(p.eras, line)
		case strings.Contains(line, "the work in hand did not end within"):
			p.broke = true
		}
		p.mu.Unlock()
	}
	_, _ = io.Copy(to, from) // a line that is too long
}

// attr is the value of an attribute of a line of slog.
func attr(line, name string) string {
	_, rest, _ := strings.Cut(line, " "+name+"=")
	value, _, _ := strings.Cut(rest, " ")
	return value
}

// readySince is when a partition of a group was last ready here; zero: never.
func (p *process) readySince(group string) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ready[group]
}

func (p *process) signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// alive reports whether the process has not ended.
func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// kill ends the process with SIGKILL. It must have been alive.
func (p *process) kill() error {
	if !p.alive() {
		return fmt.Errorf("%s ended by itself: %w", p.name, p.err)
	}
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.ended
	return nil
}

// leave asks the process to end, and waits until it has.
func (p *process) leave(ctx context.Context, within time.Duration) error {
	if !p.alive() {
		return fmt.Errorf("%s ended by itself: %w", p.name, p.err)
	}
	if err := p.signal(os.Interrupt.(syscall.Signal)); err != nil {
		return err
	}
	return p.wait(ctx, within)
}

// wait returns when the process has ended: with exit 0, or on a busy machine by saying that work in
// hand is left to others.
func (p *process) wait(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	select {
	case <-p.ended:
		if p.err != nil && !p.broke {
			return fmt.Errorf("%s ended with %w", p.name, p.err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s did not end within %s", p.name, within)
	}
}
