package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The earlier commit is counted as it was, beside what the files are now.
func TestTheCommitBeforeStandsBesideNow(t *testing.T) {
	dir := t.TempDir()
	write := func(src string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("package a\n\ntype T struct{ x, y int }\n\nfunc (T) A() {}\nfunc (T) B() {}\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write("package a\n\n// U is new.\ntype U struct{ x int }\n\ntype T struct{ x int }\n\nfunc (T) A() {}\n")
	var out bytes.Buffer
	if err := run(&out, "HEAD", dir); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  before      now\n", "       1        2  types\n", "       2        1  methods of ..T\n", "       2        1  fields of ..T\n",
		"       -        1  fields of ..U\n", "     0.0     12.5  % of the lines are comments\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if err := run(&out, "no-such-commit", dir); err == nil || !strings.Contains(err.Error(), "no-such-commit") {
		t.Errorf("a commit that is not there: %v", err)
	}
}
