package web

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A handler that panics ends its answer and is in the log with its stack, at the level that a log
// has by default.
func TestAPanicIsLogged(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	s := httptest.NewServer(LogPanics(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/abort" {
			panic(http.ErrAbortHandler)
		}
		var none map[string]int
		none["x"]++
	}), log))
	for _, path := range []string{"/abort", "/search?q=secret"} {
		if resp, err := http.Get(s.URL + path); err == nil {
			resp.Body.Close()
			t.Errorf("%s: answered with %s", path, resp.Status)
		}
	}
	s.Close() // waits for the handlers, whose output is read next
	said := out.String()
	if !strings.Contains(said, "level=ERROR") || !strings.Contains(said, "path=/search") || !strings.Contains(said, "panics_test.go") {
		t.Errorf("the log says %q", said)
	}
	if strings.Contains(said, "secret") || strings.Contains(said, "path=/abort") {
		t.Errorf("the log says too much: %q", said)
	}
}
