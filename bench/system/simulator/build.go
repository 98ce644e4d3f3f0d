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

// Build makes the program that runs one plan, in the folder to. What it is made from stands in dir,
// which should be the same every time, so that what was built once is found in the cache.
//
// Simulated time (testing/synctest) moves on only when every goroutine waits for something
// that another goroutine of the simulation, or time, will bring. Waiting for a mutex does not
// count there, so that a mutex held over a call that waits would stop time for ever. And it has
// one clock for all, without a monotonic part. So the program is built with two changes of Go's
// runtime: waiting for a mutex counts, and the wall clock of a process may be wrong while its
// monotonic clock is right, as on a real machine. What belongs to a process is known by the
// label that its goroutines inherit (runtime/pprof).
func Build(ctx context.Context, dir, to string, race bool) (string, error) {
	overlay, err := overlay(ctx, dir)
	if err != nil {
		return "", err
	}
	bin := filepath.Join(to, "onerun.test")
	args := []string{"test", "-c", "-vet=off", "-tags", "simulated", "-overlay", overlay, "-o", bin}
	if race {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "millrace/bench/system/simulator/onerun")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return bin, nil
}

// change is a change of a file of Go's runtime: a text that stands there once gets another.
type change struct{ file, old, new string }

func changes() []change {
	return []change{
		{
			"runtime2.go", "\twaitReasonSynctestRun:           true,\n",
			"\twaitReasonSynctestRun:           true,\n" +
				"\twaitReasonSyncMutexLock: true, waitReasonSyncRWMutexLock: true, waitReasonSyncRWMutexRLock: true,\n",
		},
		{
			"time.go", "\t\tsec = bubble.now / (1000 * 1000 * 1000)\n\t\tnsec = int32(bubble.now % (1000 * 1000 * 1000))\n",
			"\t\twall := bubble.now\n\t\tif labels := getg().labels; labels != nil && simulatedSkew != nil {\n\t\t\twall += simulatedSkew(labels)\n\t\t}\n" +
				"\t\treturn wall / (1000 * 1000 * 1000), int32(wall % (1000 * 1000 * 1000)), bubble.now\n",
		},
		{
			"time.go", "//go:linkname time_runtimeNow time.runtimeNow\n",
			"//go:linkname simulatedSkew\nvar simulatedSkew func(labels unsafe.Pointer) int64\n\n" +
				"//go:linkname simulatedLabels\nvar simulatedLabels = func() unsafe.Pointer { return getg().labels }\n\n" +
				"//go:linkname time_runtimeNow time.runtimeNow\n",
		},
	}
}

// overlay writes the changed files of the runtime and the file that names them.
func overlay(ctx context.Context, dir string) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	replace, texts := map[string]string{}, map[string]string{}
	for _, c := range changes() {
		file := filepath.Join(strings.TrimSpace(string(root)), "src", "runtime", c.file)
		if texts[file] == "" {
			source, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			texts[file] = string(source)
		}
		if strings.Count(texts[file], c.old) != 1 {
			return "", fmt.Errorf("%s of this Go has no line %q: see Build", file, strings.TrimSpace(c.old))
		}
		texts[file] = strings.Replace(texts[file], c.old, c.new, 1)
		replace[file] = filepath.Join(dir, c.file+".txt")
	}
	for file, text := range texts {
		if err := os.WriteFile(replace[file], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}
