package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"millrace/streams"
	"millrace/topics"
)

// offers is a site with a page that asks not to be shown after a time, in its header, and one that
// never ends. Both always have the same body and ETag. Only the frontier has a clock that a test
// can move, by ahead; for all others that much time has passed if the site's date is as much
// earlier.
type offers struct {
	until time.Time
	ahead atomic.Int64
	asked map[string]*atomic.Int64 // by path
	again chan struct{}            // closed when the first page is asked for the second time
}

func (s *offers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.asked[r.URL.Path]
	if n == nil {
		http.NotFound(w, r)
		return
	}
	if n.Add(1) == 2 && r.URL.Path == "/offer" {
		defer close(s.again)
	}
	if r.URL.Path == "/offer" {
		w.Header().Set("X-Robots-Tag", "unavailable_after: "+s.until.Add(-time.Duration(s.ahead.Load())).Format(time.RFC1123))
	}
	w.Header().Set("ETag", `"v1"`)
	if r.Header.Get("If-None-Match") == `"v1"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, `<html lang=en><title>%s</title><article><p>%s <a href="/offer">an offer</a></article>`,
		r.URL.Path, strings.Repeat(text+"This is "+r.URL.Path+". ", 4))
}

// TestAPageIsGoneAfterTheTimeThatItNames crawls a page that names the time after which it is not to
// be shown. It is found before; after that time it is asked for once more, long before its next
// fetch, and is found no more. Other pages stay, and are not asked for.
func TestAPageIsGoneAfterTheTimeThatItNames(t *testing.T) {
	s := &offers{until: time.Now().UTC().Add(2 * time.Hour), again: make(chan struct{}),
		asked: map[string]*atomic.Int64{"/": {}, "/offer": {}}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	cfg := DefaultConfig()
	const year = 365 * 24 * time.Hour
	cfg.Data, cfg.Delay, cfg.Recrawl, cfg.RecrawlMin, cfg.RecrawlMax = t.TempDir(), 0, year, year, year
	clock := func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }
	w := startOver(t, cfg, Outside{Clock: clock}, server.Listener.Addr().(*net.TCPAddr))
	w.seed("http://www.a.test/")
	if found := w.found(); !strings.Contains(found, "http://www.a.test/offer") {
		t.Fatalf("before that time: found %q", found)
	}
	s.ahead.Store(int64(2*time.Hour + 5*time.Minute))
	select {
	case <-s.again:
	case <-time.After(3 * time.Minute):
		t.Fatal("the page is not asked for again")
	}
	s.ahead.Store(0) // no request is due any more
	w.idle()
	w.wantFound("after that time", "http://www.a.test/")
	if offer, other := s.asked["/offer"].Load(), s.asked["/"].Load(); offer != 2 || other != 1 {
		t.Errorf("asked %d times for the page, %d times for the other one", offer, other)
	}
}

// TestAPageThatIsNotFetchedAgainIsGoneAfterTheTimeThatItNames does the same in a crawl that fetches
// each page once: the page is found no more after that time, and is not asked for again.
func TestAPageThatIsNotFetchedAgainIsGoneAfterTheTimeThatItNames(t *testing.T) {
	s := &offers{until: time.Now().UTC().Add(2 * time.Hour), again: make(chan struct{}),
		asked: map[string]*atomic.Int64{"/": {}, "/offer": {}}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	cfg := DefaultConfig()
	cfg.Data, cfg.Delay, cfg.Recrawl = t.TempDir(), 0, 0
	clock := func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }
	w := startOver(t, cfg, Outside{Clock: clock}, server.Listener.Addr().(*net.TCPAddr))
	w.seed("http://www.a.test/")
	if found := w.found(); !strings.Contains(found, "http://www.a.test/offer") {
		t.Fatalf("before that time: found %q", found)
	}
	s.ahead.Store(int64(2*time.Hour + 5*time.Minute))
	w.end("test.a.www:http/offer")
	w.idle()
	w.wantFound("after that time", "http://www.a.test/")
	if offer, other := s.asked["/offer"].Load(), s.asked["/"].Load(); offer != 1 || other != 1 {
		t.Errorf("asked %d times for the page, %d times for the other one", offer, other)
	}
}

// end waits until docs.unique has a record that ends the document of a page. After three minutes
// the test fails.
func (w *world) end(key string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 3*time.Minute)
	defer cancel()
	topic, ended := topics.Unique().Name, errors.New("it ended")
	from, err := w.Reader.Starts(ctx, topic)
	if err == nil {
		err = w.Reader.Follow(ctx, topic, from, time.Second, func(r streams.Raw) error {
			if r.Key == key && r.Value == nil {
				return ended
			}
			return nil
		}, nil)
	}
	if !errors.Is(err, ended) {
		w.t.Fatalf("the document of %s does not end: %v", key, err)
	}
}
