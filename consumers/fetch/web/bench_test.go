package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// BenchmarkDo is one request over a kept connection to a server in the same process: 20 KB, gzip
// not asked of it.
func BenchmarkDo(b *testing.B) {
	page := make([]byte, 20<<10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(page)
	}))
	defer srv.Close()
	o := quick()
	c, err := New(o)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	b.ReportAllocs()
	for b.Loop() {
		if res := c.Do(b.Context(), Request{URL: srv.URL, MayWrite: func() error { return nil }}); res.Err != nil {
			b.Fatal(res.Err)
		}
	}
}
