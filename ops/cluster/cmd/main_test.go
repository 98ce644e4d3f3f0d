//go:build linux

package main

import (
	"bytes"
	"io"
	"testing"
)

// The CI script ends with down and wipe whether or not up came to anything.
func TestEndingNoClusterIsNoError(t *testing.T) {
	for _, verb := range []string{"down", "wipe"} {
		if err := run(t.Context(), []string{verb, "--dir", t.TempDir()}, io.Discard, io.Discard); err != nil {
			t.Errorf("%s: %v", verb, err)
		}
	}
}

func TestMistypedCommandsFail(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{nil, {"upp"}, {"down", "--brokers", "3"}, {"up", "--brokers", "2", "--dir", dir}, {"status", "--dir", dir}} {
		var out bytes.Buffer
		if err := run(t.Context(), args, &out, io.Discard); err == nil || out.Len() > 0 {
			t.Errorf("%q: error %v, output %q for eval", args, err, out.String())
		}
	}
}
