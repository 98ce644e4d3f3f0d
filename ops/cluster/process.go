//go:build linux

package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is the program that runs in a server's folder, or none. It is found
// again, also by another program, through the file "pid" in that folder.
type process struct{ home string }

// identity tells a process from a later one with the same id.
type identity struct {
	pid   int
	start uint64 // clock ticks since the machine's boot
}

// logTail is how much of a server's log goes into an error: some 30 lines.
const logTail = 4 << 10

// lookEvery is the pause between two looks at something that sends no event.
const lookEvery = 100 * time.Millisecond

func (p process) pidFile() string { return filepath.Join(p.home, "pid") }
func (p process) logFile() string { return filepath.Join(p.home, "log") }

// launch starts the command in a session of its own, so that neither the end of
// this program nor a Ctrl-C in its terminal reaches it.
func (p process) launch(command []string) error {
	if err := os.MkdirAll(filepath.Join(p.home, "tmp"), 0o755); err != nil {
		return err
	}
	log, err := os.OpenFile(p.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.home, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return p.remember(cmd.Process)
}

// remember writes the pid file; a process that cannot be found again is ended.
func (p process) remember(proc *os.Process) error {
	defer proc.Release() // nobody waits for it: running reaps it
	st, err := readStat(proc.Pid)
	if err == nil {
		err = writeFile(p.pidFile(), fmt.Appendf(nil, "%d %d\n", proc.Pid, st.start))
	}
	if err != nil {
		return errors.Join(err, proc.Kill())
	}
	return nil
}

// running returns the process if it is there and is the one that was launched.
func (p process) running() (identity, bool) {
	var id identity
	b, err := os.ReadFile(p.pidFile())
	if err != nil {
		return id, false
	}
	if _, err := fmt.Sscan(string(b), &id.pid, &id.start); err != nil {
		return id, false
	}
	st, err := readStat(id.pid)
	if err != nil || st.start != id.start {
		return id, false
	}
	if st.dead() {
		// If it was a child of ours, let its entry go; otherwise this fails.
		syscall.Wait4(id.pid, nil, syscall.WNOHANG, nil)
		return id, false
	}
	return id, true
}

// signal sends sig to the process, and does nothing if it is gone.
func (p process) signal(sig syscall.Signal) error {
	id, ok := p.running()
	if !ok {
		return nil
	}
	// The handle is taken before the second look, so it cannot mean a later
	// process with the same id.
	proc, err := os.FindProcess(id.pid)
	if err != nil {
		return err
	}
	defer proc.Release()
	if _, ok := p.running(); !ok {
		return nil
	}
	if err := proc.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal %v: %w", sig, err)
	}
	return nil
}

// gone waits until the process is no more.
func (p process) gone(ctx context.Context) error {
	return until(ctx, func() (bool, error) {
		_, ok := p.running()
		return !ok, nil
	})
}

// until calls done until it says true or fails.
func until(ctx context.Context, done func() (bool, error)) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// tail returns the end of the process's log.
func (p process) tail() string {
	f, err := os.Open(p.logFile())
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if end, err := f.Seek(0, io.SeekEnd); err == nil {
		f.Seek(max(0, end-logTail), io.SeekStart)
	}
	b, _ := io.ReadAll(f)
	return strings.ToValidUTF8(string(b), "?")
}

// stat is the state of a process, as the kernel reports it.
type stat struct {
	state   byte
	threads int
	start   uint64 // clock ticks since the machine's boot
}

// dead: nothing of the process runs, only its entry waits for the parent. The
// first thread of a JVM is a zombie some time before the others have let go of
// the memory and the ports.
func (s stat) dead() bool { return s.state == 'Z' && s.threads <= 1 }

// readStat reads fields 3, 20 and 22 of proc_pid_stat(5). The second field, the
// name, may hold anything, and ends at the last parenthesis.
func readStat(pid int) (stat, error) {
	var s stat
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, err
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 20 {
		return s, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields)+2)
	}
	s.state = fields[0][0]
	if s.threads, err = strconv.Atoi(string(fields[17])); err != nil {
		return s, err
	}
	s.start, err = strconv.ParseUint(string(fields[19]), 10, 64)
	return s, err
}
