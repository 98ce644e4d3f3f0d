package wire

import (
	"net/http"
	"sync/atomic"
	"testing"

	"millrace/consumers/fetch"
)

// What /metrics says of requests to the web is what the web counted.
func TestRequestsToTheWebAreCounted(t *testing.T) {
	var asked atomic.Int64
	o := newOrigin(t)
	o.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		o.serve(w, r)
	})
	w := start(t, DefaultConfig(), o)
	w.seed(home)
	pages, missing := w.Meter.Value(fetch.Group, "web_requests", "200"), w.Meter.Value(fetch.Group, "web_requests", "404")
	if pages != 3 || missing == 0 || pages+missing != asked.Load() {
		t.Errorf("%d pages and %d times 404 of %d requests", pages, missing, asked.Load())
	}
	if n := w.Meter.Value(fetch.Group, "web_bytes", ""); n < 500 {
		t.Errorf("%d bytes", n)
	}
}
