//go:build unix

package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// cost holds the time, memory and disk space that a crawl took.
type cost struct {
	wall, cpu time.Duration
	rss, disk int64 // bytes: the largest process; what is allocated at the end
	cut       bool  // it was stopped
	failed    string
}

// crawl runs a crawler until it ends, or for a while: then it is killed, since
// some go on for as long again when they are asked to end.
func (b *bench) crawl(ctx context.Context, c crawler, k task, atMost time.Duration) (cost, error) {
	errs, err := os.Create(filepath.Join(k.dir, "stderr"))
	if err != nil {
		return cost{}, err
	}
	defer errs.Close()
	window, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	args := c.settings(k)
	cmd := exec.CommandContext(window, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = k.dir, os.Environ(), errs
	if c.env != nil {
		cmd.Env = append(cmd.Env, c.env(k)...)
	}
	start := time.Now()
	err = cmd.Run()
	got := cost{wall: time.Since(start), cut: window.Err() != nil}
	if ctx.Err() != nil {
		return got, ctx.Err()
	}
	if cmd.ProcessState == nil {
		return got, fmt.Errorf("%s: %w", c.name, err)
	}
	if err != nil && !got.cut {
		got.failed = fmt.Sprintf("%v: %s", err, tail(filepath.Join(k.dir, "stderr")))
	}
	return got, got.read(cmd.ProcessState, k.dir)
}

// read takes what the system knows of an ended process and its children.
func (c *cost) read(p *os.ProcessState, dir string) (err error) {
	c.cpu = p.UserTime() + p.SystemTime()
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		c.rss = u.Maxrss
		if runtime.GOOS == "linux" {
			c.rss <<= 10 // KiB there, bytes on macOS
		}
	}
	c.disk, err = allocated(dir)
	return err
}

// allocated is the space that the files of a directory take on the disk: files
// of a store may be longer than what is in them.
func allocated(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			n += int64(st.Blocks) * 512 // the unit of st_blocks, POSIX
		}
		return nil
	})
	return n, err
}

// tail is the end of what a crawler said.
func tail(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return lines[len(lines)-1]
}
