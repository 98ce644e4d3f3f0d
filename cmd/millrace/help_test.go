package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"millrace/cmd/settings"
	"millrace/cmd/wire"
)

var update = flag.Bool("update", false, "rewrite the golden files and the example")

// golden compares a text with its file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	is, should := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(is), len(should)) {
		if is[i] != should[i] {
			t.Fatalf("%s:%d differs; read it all with -update and git diff\n is     %s\n should %s", path, i+1, is[i], should[i])
		}
	}
	if len(is) != len(should) {
		t.Fatalf("%s has %d lines, should have %d", path, len(is), len(should))
	}
}

func TestHelpTextsAreAsTheyWereRead(t *testing.T) {
	var out bytes.Buffer
	overview(&out)
	for _, cmd := range commands() {
		out.WriteString("\n" + strings.Repeat("=", 92) + "\n")
		if code := run(t.Context(), append(strings.Fields(cmd.name), "--help"), nil, &out, &out); code != exitOK {
			t.Errorf("millrace %s --help: exit %d", cmd.name, code)
		}
	}
	golden(t, "testdata/help.txt", out.String())
	for line := range strings.Lines(out.String()) {
		if n := len([]rune(line)); n > 130 {
			t.Errorf("a line of help has %d characters: %s", n, line)
		}
	}
}

func TestEverySettingStandsInOneSection(t *testing.T) {
	cfg := wire.DefaultConfig()
	s, err := settings.New(&cfg, "MILLRACE")
	if err != nil {
		t.Fatal(err)
	}
	want, got := append(s.Names(), "config"), everything()
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("sections have  %v\nsettings are   %v", got, want)
	}
}

const exampleHead = `Every setting of millrace with its default. Use it with millrace run --config FILE.
Variables (MILLRACE_MAX_DEPTH for max-depth) win over this file, and flags over both.
Made from the defaults in the code: go test ./cmd/millrace -run TheExample -update`

func TestTheExampleFileIsTheDefaults(t *testing.T) {
	cfg := wire.DefaultConfig()
	s, err := settings.New(&cfg, "MILLRACE")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.Example(&out, exampleHead, sections()); err != nil {
		t.Fatal(err)
	}
	golden(t, "millrace.example.yaml", out.String())

	var read wire.Config
	into, err := settings.New(&read, "MILLRACE")
	if err != nil {
		t.Fatal(err)
	}
	if err := into.ReadYAML(bytes.NewReader(out.Bytes()), "example"); err != nil {
		t.Fatal(err)
	}
	read.Brokers, read.Resolve, read.ServeNames, read.Taps = nil, nil, nil, nil // empty lists, read as such
	if !reflect.DeepEqual(read, wire.DefaultConfig()) {
		t.Errorf("the example reads as %+v", read)
	}
}
