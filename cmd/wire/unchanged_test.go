package wire

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"millrace/topics"
)

// still is a site whose pages never change, and which counts how it is asked.
type still struct {
	full, unchanged atomic.Int64
	enough          chan struct{} // closed after so many answers 304
}

func (s *still) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("ETag", `"v1"`)
	if r.Header.Get("If-None-Match") == `"v1"` {
		if w.WriteHeader(http.StatusNotModified); s.unchanged.Add(1) == 9 {
			close(s.enough)
		}
		return
	}
	s.full.Add(1)
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, `<html lang=en><title>%s</title><article><p>%s %s <a href="/a">a</a> <a href="/b">b</a></article>`,
		r.URL.Path, text, strings.Repeat("The name of this page is "+r.URL.Path+", and it stays so. ", 5))
}

// TestAPageThatDidNotChangeCostsOneRequest lets the pages of a running crawl become due again and
// again: a look is one request that the site answers with 304, and no record of the page follows.
// Now and then a look is without validators, to find servers that lie (policy.TrustValidators): its
// body goes as far as dedupe. Nothing is published, and nothing is written to the index.
func TestAPageThatDidNotChangeCostsOneRequest(t *testing.T) {
	s := &still{enough: make(chan struct{})}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	var ahead atomic.Int64
	cfg := DefaultConfig()
	cfg.Data, cfg.Delay, cfg.Recrawl, cfg.RecrawlMin, cfg.RecrawlMax = t.TempDir(), 0, time.Minute, time.Minute, time.Minute
	clock := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	w := startOver(t, cfg, Outside{Clock: clock}, server.Listener.Addr().(*net.TCPAddr))
	w.seed("http://www.a.test/")
	before := w.written()
	if s.full.Load() != 3 || before[topics.Unique().Name] != 3 || before["index"] != 3 {
		t.Fatalf("%d pages, %v", s.full.Load(), before)
	}
	ahead.Store(int64(time.Hour)) // a page is looked at again after half an hour at most, thirty times --recrawl
	select {
	case <-s.enough:
	case <-time.After(3 * time.Minute):
		t.Fatalf("%d answers 304, %d others", s.unchanged.Load(), s.full.Load())
	}
	ahead.Store(0) // no look is due any more; those that are on their way come to their end
	w.idle()
	after, checks := w.written(), s.full.Load()-3
	want := maps.Clone(before)
	for _, name := range []string{topics.Pages().Name, topics.Extracted().Name, topics.Found().Name} {
		want[name] += checks
	}
	if checks >= s.unchanged.Load() || !maps.Equal(want, after) {
		t.Errorf("after %d answers 304 and %d pages in full: written %v, want %v", s.unchanged.Load(), checks, after, want)
	}
}

// written is how many records the topics of pages and documents have, and how far the index is.
func (w *world) written() map[string]int64 {
	w.t.Helper()
	out := map[string]int64{}
	for _, name := range []string{topics.Pages().Name, topics.Extracted().Name, topics.Unique().Name, topics.Found().Name} {
		ends, err := w.Reader.Ends(w.t.Context(), name)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, end := range ends {
			out[name] += end
		}
	}
	for _, s := range w.Shards() {
		out["index"] += s.Offset
	}
	return out
}
