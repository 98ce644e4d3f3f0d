package simulator

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build makes the program that runs one plan, in dir.
//
// Simulated time (testing/synctest) moves on only when every goroutine waits for something
// that another goroutine of the simulation, or time, will bring. Waiting for a mutex does not
// count there, so that a mutex held over a call that waits would stop time for ever. So the
// program is built with one line more in Go's runtime, which makes waiting for a mutex count.
func Build(ctx context.Context, dir string, race bool) (string, error) {
	overlay, err := overlay(ctx, dir)
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "onerun.test")
	args := []string{"test", "-c", "-vet=off", "-overlay", overlay, "-o", bin}
	if race {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "millrace/bench/system/simulator/onerun")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return bin, nil
}

// The line of the runtime that the addition stands behind.
const (
	anchor   = "\twaitReasonSynctestRun:           true,\n"
	addition = "\twaitReasonSyncMutexLock: true, waitReasonSyncRWMutexLock: true, waitReasonSyncRWMutexRLock: true,\n"
)

// overlay writes the changed file of the runtime and the file that names it. Its place is
// the same at every run, so that what was built once is found in the cache.
func overlay(ctx context.Context, dir string) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	file := filepath.Join(strings.TrimSpace(string(root)), "src", "runtime", "runtime2.go")
	source, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if strings.Count(string(source), anchor) != 1 {
		return "", fmt.Errorf("%s of this Go has no line %q: see Build", file, strings.TrimSpace(anchor))
	}
	changed := filepath.Join(dir, "runtime2.go.txt")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(source), anchor, anchor+addition, 1)), 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}
