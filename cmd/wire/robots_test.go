package wire

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// guarded is a site whose robots.txt forbids a page until open is set.
type guarded struct {
	open  atomic.Bool
	asked atomic.Int64 // for robots.txt
}

func (s *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/robots.txt":
		s.asked.Add(1)
		w.Header().Set("Content-Type", "text/plain")
		rules := "User-agent: *\nDisallow: /hidden\n"
		if s.open.Load() {
			rules = "User-agent: *\nDisallow:\n"
		}
		_, _ = io.WriteString(w, rules)
	case "/":
		_, _ = fmt.Fprintf(w, "<title>Home</title><p>%s<a href=/hidden>one</a>", strings.Repeat("A page that leads to another one. ", 8))
	case "/hidden":
		_, _ = fmt.Fprintf(w, "<title>Hidden</title><p>%s", strings.Repeat("A mill race keeps it clear of weed. ", 8))
	default:
		http.NotFound(w, r)
	}
}

// A robots.txt that has changed is read again at once when an operator asks for it, long before it
// expires, and what it refused is fetched; of a crawl that is stopped, when it goes on.
func TestARobotsFileIsReadAgainWhenItIsAskedFor(t *testing.T) {
	const file, page = "http://www.a.test/robots.txt", "http://www.a.test/hidden"
	begin := func(t *testing.T) (*guarded, Config, *net.TCPAddr) {
		s := &guarded{}
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		cfg := DefaultConfig()
		cfg.Data, cfg.Delay = t.TempDir(), 0
		return s, cfg, server.Listener.Addr().(*net.TCPAddr)
	}
	refused := func(s *guarded, w *world) {
		w.t.Helper()
		w.seed("http://www.a.test/")
		w.wantFound("before", "")
		if n := s.asked.Load(); n != 1 {
			w.t.Errorf("robots.txt was asked for %d times", n)
		}
	}
	read := func(s *guarded, w *world) {
		w.t.Helper()
		w.wantFound("after robots.txt has changed", page)
		if n := s.asked.Load(); n != 2 {
			w.t.Errorf("robots.txt was asked for %d times, want 2", n)
		}
	}
	t.Run("running", func(t *testing.T) {
		s, cfg, at := begin(t)
		w := startAt(t, cfg, at)
		refused(s, w)
		s.open.Store(true)
		answer, err := w.RecheckKnown(t.Context(), []string{file, "http://www.b.test/robots.txt"}, false)
		if err != nil || answer.Accepted != 1 || len(answer.Unknown) != 1 {
			t.Fatalf("%+v: %v", answer, err)
		}
		w.idle()
		read(s, w)
		w.recheck("http://www.a.test/hidden")
		read(s, w) // not for every page
	})
	t.Run("stopped", func(t *testing.T) {
		s, cfg, at := begin(t)
		t.Run("before", func(t *testing.T) { refused(s, startAt(t, cfg, at)) })
		s.open.Store(true)
		stopped, err := OpenOver(t.Context(), cfg, Outside{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		err = stopped.Recheck(t.Context(), []string{file}, false)
		stopped.Close()
		if err != nil {
			t.Fatal(err)
		}
		w := startAt(t, cfg, at)
		w.idle()
		read(s, w)
	})
}
