package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

// The bar shows the part of the list that was read, once a second and on a terminal only.
func TestTheBarOfALongListFollowsTheReading(t *testing.T) {
	var out bytes.Buffer
	began := time.UnixMilli(0)
	s := newSowing(&out, strings.NewReader(strings.Repeat("x", 400)), began)
	s.show(5000, began.Add(time.Hour))
	if out.Len() > 0 {
		t.Fatalf("%q is shown where there is no terminal", out.String())
	}
	s.terminal, s.size = true, 1000
	if _, err := io.ReadAll(s); err != nil {
		t.Fatal(err)
	}
	s.show(5000, began.Add(999*time.Millisecond))
	s.show(5000, began.Add(2*time.Second))
	s.show(6000, began.Add(2500*time.Millisecond))
	s.end()
	if want := "\r\x1b[K[########............] 40 %, 5,000 URLs added, 2,500 a second\r\x1b[K"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	if s.size = 0; s.line(1, 0) != "1 URL added, 1 a second" {
		t.Error(s.line(1, 0))
	}
}
