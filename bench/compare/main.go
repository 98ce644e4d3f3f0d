// Command compare runs a benchmark of two commits in turn, and says whether they
// differ:
//
//	go run ./bench/compare [-n 6] OLD NEW -- go test -run '^$' -bench Parse ./consumers/extract/page
//
// Each commit is checked out into a temporary git worktree, where the command
// runs: once unmeasured, so that everything is built, then n times old, new, old,
// new …, so that what else the machine does strikes both. The command's lines in
// the format of Go benchmarks (name, iterations, then pairs of value and unit)
// are collected, whoever prints them.
//
// For every name and unit it prints both medians with their spread (half of the
// range between the quartiles), the change, and the probability that two equal
// commits differ as much, by the exact test of Mann and Whitney. Below 0.01 they
// are said to differ: of a hundred rows of equal commits one is, by chance.
//
// On failure: an error of the command ends it, with what the command said.
//
// Caveats: what is not committed is not compared.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	n := flag.Int("n", 6, "runs of each commit")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := compare(ctx, ".", *n, flag.Args(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// compare runs the command of args (OLD NEW [--] COMMAND…) over both commits of
// the repository that dir is in.
func compare(ctx context.Context, dir string, n int, args []string, out, progress io.Writer) (err error) {
	if len(args) > 2 && args[2] == "--" {
		args = append(args[:2:2], args[3:]...)
	}
	if len(args) < 3 || n < fewest {
		return fmt.Errorf("usage: compare [-n RUNS] OLD NEW -- COMMAND…; at least %d runs", fewest)
	}
	commits, command := args[:2], args[2:]
	tmp, err := os.MkdirTemp("", "compare-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	var trees [2]string
	for i, commit := range commits {
		tree := filepath.Join(tmp, [...]string{"old", "new"}[i])
		if _, err := output(ctx, dir, "git", "worktree", "add", "--quiet", "--detach", tree, commit); err != nil {
			return err
		}
		defer func() { // after an interrupt too
			_, gone := output(context.WithoutCancel(ctx), dir, "git", "worktree", "remove", "--force", tree)
			err = errors.Join(err, gone)
		}()
		trees[i] = tree
	}
	all := newSamples()
	for run := range n + 1 {
		for i, tree := range trees {
			text, err := output(ctx, tree, command[0], command[1:]...)
			if err != nil {
				return fmt.Errorf("%s: %w", commits[i], err)
			}
			if run == 0 { // it built; what it printed shows whether there is anything to compare
				if first := newSamples(); first.read(i, text) == 0 {
					return fmt.Errorf("%s: the command printed no line in the format of Go benchmarks", commits[i])
				}
				continue
			}
			all.read(i, text)
			fmt.Fprintf(progress, "run %d of %d of %s\n", run, n, commits[i])
		}
	}
	return all.print(out, commits)
}

// output runs a command and returns what it prints.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil {
		said := strings.TrimSpace(errs.String() + out.String())
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, said)
	}
	return out.String(), nil
}
