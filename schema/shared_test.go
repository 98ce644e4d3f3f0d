package schema

import (
	"os"
	"path/filepath"
	"testing"
)

// sharedData is the directory of the outside data sets these tests measure
// against. They are not part of the project: without them a test skips.
func sharedData(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("MILLRACE_SHARED")
	if root == "" {
		root = filepath.Join(moduleRoot(t), "..", "shared")
	}
	dir := filepath.Join(root, "data", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("data set %s is not here (MILLRACE_SHARED says where)", name)
	}
	return dir
}

func moduleRoot(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}
