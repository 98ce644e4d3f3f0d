package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repository has two commits of a fake benchmark: the second one is faster, and
// makes as many allocations. It writes which commit ran to the file of $ORDER.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)
		if _, err := output(t.Context(), dir, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	for _, v := range []struct{ tag, ns string }{{"slow", "200"}, {"quick", "100"}} {
		script := `echo ` + v.tag + ` >> "$ORDER"
runs=$(wc -l < "$ORDER")
echo "goos: fake"
echo "BenchmarkFake-2   1000   $((` + v.ns + ` + runs)) ns/op   7 allocs/op"
`
		if err := os.WriteFile(filepath.Join(dir, "bench.sh"), []byte(script), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", "bench.sh")
		git("commit", "-q", "-m", v.tag)
		git("tag", v.tag)
	}
	return dir
}

func TestTwoCommitsInTurn(t *testing.T) {
	dir, order := repository(t), filepath.Join(t.TempDir(), "order")
	t.Setenv("ORDER", order)
	var out, progress strings.Builder
	if err := compare(t.Context(), dir, 5, []string{"slow", "quick", "--", "sh", "bench.sh"}, &out, &progress); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(order)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(b), strings.Repeat("slow\nquick\n", 6); got != want {
		t.Errorf("they ran as %q", got)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], "differs") || !strings.Contains(lines[1], "-47.8 %") || !strings.Contains(lines[1], "0.008") {
		t.Errorf("\n%s", out.String())
	} else if !strings.Contains(lines[2], "allocs/op") || !strings.Contains(lines[2], "1.000") || strings.Contains(lines[2], "differs") {
		t.Errorf("\n%s", out.String())
	}
	if left, err := output(t.Context(), dir, "git", "worktree", "list"); err != nil || strings.Count(left, "\n") != 1 {
		t.Errorf("worktrees are left (%v):\n%s", err, left)
	}
}

func TestFailuresLeaveNoWorktree(t *testing.T) {
	dir := repository(t)
	t.Setenv("ORDER", filepath.Join(t.TempDir(), "order"))
	for _, args := range [][]string{
		{"slow"}, {"slow", "none", "--", "sh", "bench.sh"}, {"slow", "quick", "--", "sh", "-c", "echo broken >&2; exit 1"}, {"slow", "quick", "--", "true"},
	} {
		var out, progress strings.Builder
		err := compare(context.Background(), dir, fewest, args, &out, &progress)
		if err == nil {
			t.Errorf("%q was taken", args)
		} else if strings.Contains(args[len(args)-1], "broken") && !strings.Contains(err.Error(), "slow: sh -c") {
			t.Errorf("it does not say what failed: %v", err)
		}
	}
	if left, err := output(t.Context(), dir, "git", "worktree", "list"); err != nil || strings.Count(left, "\n") != 1 {
		t.Errorf("worktrees are left (%v):\n%s", err, left)
	}
}

// The probabilities of Mann and Whitney's table: U = 0 and U = 2 of 5 and 5 have
// 2/252 and 8/252, two-sided.
func TestTheProbabilityIsExact(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 2.0 / 252},
		{[]float64{1, 2, 3, 4, 7}, []float64{5, 6, 8, 9, 10}, 8.0 / 252},
		{[]float64{1, 1, 1}, []float64{1, 1, 1}, 1},
		{[]float64{1, 1}, []float64{2, 2}, 2.0 / 6},
	} {
		for _, got := range []float64{equal(c.a, c.b), equal(c.b, c.a)} {
			if math.Abs(got-c.want) > 1e-12 {
				t.Errorf("%v and %v: %v, not %v", c.a, c.b, got, c.want)
			}
		}
	}
}
