package main

import (
	"bytes"
	"log"
	"os"
	"strings"
	"testing"

	"millrace/cmd/wire"
)

// TestWhatLibrariesSayGoesThroughTheLog: net/http writes to Go's own log what a server sends
// unasked.
func TestWhatLibrariesSayGoesThroughTheLog(t *testing.T) {
	flags := log.Flags()
	t.Cleanup(func() { log.SetOutput(os.Stderr); log.SetFlags(flags) })
	for level, lines := range map[string]int{"debug": 1, "info": 0} {
		var out bytes.Buffer
		cfg := wire.DefaultConfig()
		cfg.LogFormat, cfg.LogLevel = "json", level
		if _, err := (&call{cfg: cfg}).logger(&out); err != nil {
			t.Fatal(err)
		}
		log.Printf("Unsolicited response received on idle HTTP channel starting with %q; err=%v", strings.Repeat("<p>\x1b[31m", 1000), nil)
		if got := out.String(); strings.Count(got, "\n") != lines || len(got) > 2*maxOthers || lines > 0 && !strings.HasPrefix(got, "{") {
			t.Errorf("%s: %q", level, got)
		}
	}
}
