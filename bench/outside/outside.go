// Package outside finds the outside data: page sets, collections and recorded test cases that
// others made. They are measured with and are not part of this repository.
//
// The data is the folder data of $MILLRACE_SHARED, or of a folder named shared beside the
// repository.
//
// On failure: ErrAbsent when it is not there. A test then skips with one line, a program says so
// and
// ends.
package outside

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// ErrAbsent says that there is no outside data, and what to do.
var ErrAbsent = errors.New("outside data is not here: set MILLRACE_SHARED to the folder that has data in it, or put it beside the repository as shared")

// Dir returns the folder of a data set, e.g. "urls" or "extract/wcxb"; "" is the folder of all.
func Dir(name string) (string, error) {
	root := os.Getenv("MILLRACE_SHARED")
	if root == "" {
		module, err := Module()
		if err != nil {
			return "", err
		}
		root = filepath.Join(module, "..", "shared")
	}
	dir := filepath.Join(root, "data", filepath.FromSlash(name))
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("%w (%s)", ErrAbsent, name)
	}
	return dir, nil
}

// Need is Dir for tests: without the data the test skips.
func Need(t testing.TB, name string) string {
	t.Helper()
	dir, err := Dir(name)
	if errors.Is(err, ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Module returns the root of the repository that the working directory is in.
func Module() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = up
	}
}
