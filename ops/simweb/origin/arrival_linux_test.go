package origin_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"millrace/ops/simweb"
)

// A request starts after its first byte is written and before its answer is read.
func TestARequestStartsBetweenItsWritingAndItsAnswer(t *testing.T) {
	s := start(t, nil, func(o *simweb.ServeOptions) { o.Arrivals, o.NoLatency = true, true })
	u, err := url.Parse(s.w.Seeds(1, "")[0])
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", s.srv.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in := bufio.NewReader(c)
	request := fmt.Appendf(nil, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", u.Hostname())
	var before, after []int64
	for range 100 {
		before = append(before, time.Now().UnixNano())
		if _, err := c.Write(request); err != nil {
			t.Fatal(err)
		}
		r, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		after = append(after, time.Now().UnixNano())
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Fatal(err)
		}
	}
	events := s.srv.Judge().Record().Events()
	if len(events) != len(before) {
		t.Fatalf("%d requests, not %d", len(events), len(before))
	}
	for i, e := range events {
		if e.Start < before[i] || e.Start > after[i] {
			t.Errorf("request %d: written and answered within %d .. %d, starts at %d", i, before[i], after[i], e.Start)
		}
		if e.End() < e.Start {
			t.Errorf("request %d ends before it starts", i)
		}
	}
}

// With the times of arrivals a server answers as without, TLS, resets and all.
func TestArrivalsChangeNothingElse(t *testing.T) {
	s := start(t, nil, func(o *simweb.ServeOptions) { o.Arrivals, o.NoLatency = true, true })
	for _, seed := range s.w.Seeds(6, "") {
		began := time.Now().UnixNano()
		if r, body := s.get(seed); r.StatusCode != http.StatusOK || len(body) == 0 {
			t.Errorf("%s: %s, %d bytes", seed, r.Status, len(body))
		}
		events := s.srv.Judge().Record().Events()
		if e := events[len(events)-1]; e.Start < began {
			t.Errorf("%s: starts before it was asked for", seed)
		}
	}
}
