package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"millrace/ops/simweb"
)

// pagesPerHost is fixed by the profile fast.
const pagesPerHost = 200

func (s settings) as(role string) settings {
	s.role = role
	return s
}

// command is this program again, in another role.
func (s settings) command(ctx context.Context) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-role", s.role, "-pages", fmt.Sprint(s.pages), "-dir", s.dir,
		"-origin", s.origin, "-profile", s.profile, fmt.Sprintf("-no-index=%v", s.noIndex),
		"-brokers", s.brokers, "-store", s.store)
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// ask runs a role to its end and reads what it found.
func ask(ctx context.Context, s settings, found any) error {
	cmd, err := s.command(ctx)
	if err != nil {
		return err
	}
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", s.role, err)
	}
	return json.Unmarshal(out, found)
}

// answer is the other end of ask.
func answer(found any, err error) error {
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}

// origin is the synthetic web in a process of its own.
type origin struct {
	cmd  *exec.Cmd
	in   io.Closer
	addr string
}

func startOrigin(ctx context.Context, s settings) (*origin, error) {
	cmd, err := s.as("origin").command(ctx)
	if err != nil {
		return nil, err
	}
	o := &origin{cmd: cmd}
	if o.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		o.stop()
		return nil, fmt.Errorf("origin did not start: %w", err)
	}
	o.addr = strings.TrimSpace(line)
	return o, nil
}

// stop ends the origin: it serves while its standard input is open.
func (o *origin) stop() {
	_ = o.in.Close()
	_ = o.cmd.Wait()
}

func (s settings) serveOrigin() error {
	w, err := s.world()
	if err != nil {
		return err
	}
	srv, err := simweb.Serve(w, simweb.DefaultServe())
	if err != nil {
		return err
	}
	defer srv.Close()
	fmt.Println(srv.Addr())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// world is the web of so many pages.
func (s settings) world() (*simweb.World, error) {
	p, err := simweb.Load("fast")
	if err != nil {
		return nil, err
	}
	p.Hosts = s.pages / pagesPerHost
	return simweb.Build(p, 1, simweb.DefaultOptions())
}

// cost is the time that a step took: on the clock, and in CPU time of this process.
type cost struct{ Wall, CPU time.Duration }

// timed measures fn.
func timed(fn func() error) (cost, error) {
	began, cpu := time.Now(), cpuTime()
	err := fn()
	return cost{time.Since(began), cpuTime() - cpu}, err
}

// cpuTime is the CPU time of this process so far, in user and system mode.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
