package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A shell that asks gets the commands, their flags, and the names that are fixed.
func TestAShellCompletesCommandsFlagsAndNames(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"s"}, []string{"search", "serve", "status"}},
		{[]string{"topics", ""}, []string{"cat"}},
		{[]string{"run", "--max"}, []string{"--max-depth", "--max-pages"}},
		{[]string{"topics", "cat", "docs"}, []string{"docs.extracted", "docs.unique"}},
		{[]string{"consume", "de"}, []string{"dedupe"}},
	} {
		a := use(t, append([]string{"__complete"}, c.args...)...)
		var got []string
		for line := range strings.Lines(a.out) {
			if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); word != "" && word[0] != ':' {
				got = append(got, word)
			}
		}
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("millrace %v offers %v, want %s (exit %d: %s)", c.args, got, w, a.code, a.err)
			}
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		want(t, []string{"__complete", "millrace"}, "completion", shell)
	}
	if a := use(t, "completion", "tcsh"); a.code != exitUsage || !strings.Contains(a.err, "bash, zsh and fish") {
		t.Errorf("exit %d: %s", a.code, a.err)
	}
}

func TestEveryCommandHasAManualPage(t *testing.T) {
	dir := t.TempDir()
	if a := use(t, "man", dir); a.code != exitOK {
		t.Fatal(a.err)
	}
	for _, cmd := range commands() {
		page := filepath.Join(dir, "millrace-"+strings.ReplaceAll(cmd.name, " ", "-")+".1")
		b, err := os.ReadFile(page)
		if err != nil || !strings.Contains(string(b), ".TH") {
			t.Errorf("%s: %v", page, err)
		}
	}
}
