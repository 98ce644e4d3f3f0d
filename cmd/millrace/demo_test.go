package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the demo says to try finds something while it runs, and nothing of it is
// left.
func TestWhatTheDemoSaysToTryWorks(t *testing.T) {
	r := start(t, "demo", "--listen", "127.0.0.1:0")
	tries := suggested(r.out.String())
	if len(tries) != 6 {
		t.Fatalf("%d commands to try, not a search in each of three languages, why, topics cat and lag:\n%s", len(tries), r.out)
	}
	untilIndexed(t, tries[0][2])
	for _, args := range tries[:3] {
		untilSays(t, args, "\n 1. ")
	}
	untilSays(t, tries[3], "in the index     yes")
	want(t, []string{`"ce_type":"millrace.v1.Unique"`}, tries[4]...)
	untilWhole(t, tries[5], "verdict")
	r.end(t)
	if dir := tries[0][2]; !gone(dir) {
		t.Errorf("%s is left", dir)
	}
}

// untilIndexed waits for the first documents: before, the index is being opened.
func untilIndexed(t *testing.T, dir string) {
	t.Helper()
	some := regexp.MustCompile(`documents +[1-9]`)
	for a := (answer{}); !some.MatchString(a.out); {
		if a = use(t, "status", "--data", dir); a.code != exitOK || t.Context().Err() != nil {
			t.Fatalf("exit %d: %s", a.code, a.err)
		}
	}
}

// untilWhole waits for an answer that nothing is missing from. On a machine with enough to do a
// broker may answer too late for a view, and the view then says so.
func untilWhole(t *testing.T, args []string, word string) {
	t.Helper()
	a := use(t, args...)
	for strings.Contains(a.err, "did not answer in time") && t.Context().Err() == nil {
		a = use(t, args...)
	}
	if a.code != exitOK || a.err != "" || !strings.Contains(a.out, word) {
		t.Errorf("exit %d: %s%s", a.code, a.err, a.out)
	}
}

var toTry = regexp.MustCompile(`(?m)^  (?:go run ./cmd/millrace|\S+) (.*)$`)

// suggested are the commands that the demo names.
func suggested(out string) [][]string {
	var tries [][]string
	for _, m := range toTry.FindAllStringSubmatch(out, -1) {
		args := strings.Fields(m[1])
		if args[0] == "search" || args[0] == "why" || args[0] == "topics" || args[0] == "lag" {
			tries = append(tries, args)
		}
	}
	return tries
}

// What the demo says to type starts the program as it was started.
func TestHintsNameTheProgramAsItWasStarted(t *testing.T) {
	for path, want := range map[string]string{
		"millrace":                                "millrace",
		"./millrace":                              "./millrace",
		"/opt/bin/millrace":                       "/opt/bin/millrace",
		"/var/go-build42/b001/exe/millrace":       "go run ./cmd/millrace",
		"/home/a/.cache/go-build/7c/7cd/millrace": "go run ./cmd/millrace",
	} {
		if got := started(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func gone(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

func TestAKeptDemoGoesOnWithTheSameWeb(t *testing.T) {
	dir := t.TempDir()
	args := []string{"demo", "--profile", "news", "--data", dir, "--listen", "127.0.0.1:0"}
	r := start(t, args...)
	tries := suggested(r.out.String())
	untilIndexed(t, dir)
	untilSays(t, tries[0], "\n 1. ")
	r.end(t)
	kept := read(t, filepath.Join(dir, "demo"))
	if !strings.HasPrefix(kept, "news ") {
		t.Errorf("it kept %q", kept)
	}
	// It was stopped early: a part of the index that was not begun yet is named on standard error.
	if a := use(t, tries[0]...); a.code != exitOK || !strings.Contains(a.out, "\n 1. ") {
		t.Errorf("exit %d: %s%s", a.code, a.out, a.err)
	}
	r = start(t, append(args, "--profile", "university")...)
	if again := suggested(r.out.String()); strings.Join(again[0], " ") != strings.Join(tries[0], " ") || read(t, filepath.Join(dir, "demo")) != kept {
		t.Errorf("it went on with another web: %v, not %v", again[0], tries[0])
	}
	r.end(t)
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestADemoTouchesNoOtherCrawl(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "layout"), []byte("2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a := use(t, "demo", "--data", dir); a.code != exitFailure || !strings.Contains(a.err, "holds a crawl that is no demo") || !gone(filepath.Join(dir, "demo")) {
		t.Errorf("exit %d: %s", a.code, a.err)
	}
	if a := use(t, "demo", "--profile", "nasty"); a.code != exitUsage || !strings.Contains(a.err, "there are news and university") {
		t.Errorf("exit %d: %s", a.code, a.err)
	}
}
