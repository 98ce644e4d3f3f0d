package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestLargeBodiesTakeTurns protects the memory from hosts that all send their longest pages at
// once, and those hosts from being called slow while we do not read.
func TestLargeBodiesTakeTurns(t *testing.T) {
	o := quick()
	o.LargeBodies, o.MaxBodyBytes, o.RateWindow = 1, 4*largeBody, 20*time.Millisecond
	c := client(t, o)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		size := 2 * largeBody
		if r.URL.Path == "/small" {
			size = largeBody / 2
		}
		_, _ = w.Write(make([]byte, size))
	}))
	defer srv.Close()
	first := c.Do(t.Context(), Request{URL: srv.URL + "/"})
	if first.Err != nil || len(first.Body) != 2*largeBody {
		t.Fatal(first.Err, len(first.Body))
	}
	released := make(chan struct{})
	time.AfterFunc(5*o.RateWindow, func() { close(released); first.Release() })
	if small := c.Do(t.Context(), Request{URL: srv.URL + "/small"}); small.Err != nil || len(small.Body) != largeBody/2 {
		t.Error(small.Err, len(small.Body))
	}
	second := c.Do(t.Context(), Request{URL: srv.URL + "/"})
	select {
	case <-released:
	default:
		t.Error("two large bodies were in memory at once")
	}
	if second.Err != nil || len(second.Body) != 2*largeBody {
		t.Error(second.Err, len(second.Body))
	}
	second.Release()
	second.Release() // does nothing
	if n := len(c.large); n != 0 {
		t.Errorf("%d places are still taken", n)
	}
}
