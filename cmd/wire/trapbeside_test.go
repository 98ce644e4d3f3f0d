package wire

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// endless serves two hosts: a site of so many pages, each of which links to the next two, and an
// endless host, on which every page has a text of its own and ten links to new pages.
type endless struct {
	pages int
	mu    sync.Mutex
	next  int
	asked map[string]int // pages by host
	seen  map[string]bool
}

func (e *endless) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.seen[r.Host+r.URL.Path] {
		e.seen[r.Host+r.URL.Path] = true
		e.asked[r.Host]++
	}
	var links []string
	if r.Host == "www.trap.test" {
		for range 10 {
			e.next++
			links = append(links, fmt.Sprintf("/day/%d", e.next))
		}
	} else {
		n := 0
		_, _ = fmt.Sscanf(r.URL.Path, "/p%d", &n) // the home page has no number
		for _, to := range []int{2*n + 1, 2*n + 2} {
			if to < e.pages {
				links = append(links, fmt.Sprintf("/p%d", to))
			}
		}
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, webPage("Page "+r.Host+r.URL.Path, strings.Repeat(filler+r.URL.Path+" ", 3), links...))
}

// The whole program with --max-pages 3000 and no delay: the endless host gets only the fetches that
// the others leave, and the site of 300 pages is fetched completely. Nothing is dropped as a trap
// here; the shares of hosts alone have this effect.
func TestASiteIsCompleteBesideAnEndlessHost(t *testing.T) {
	e := &endless{pages: 300, asked: map[string]int{}, seen: map[string]bool{}}
	o := &origin{Server: httptest.NewServer(e)}
	t.Cleanup(o.Close)
	cfg := DefaultConfig()
	cfg.MaxPages, cfg.Traps = 3000, false
	w := start(t, cfg, o)
	if err := w.SeedURLs(t.Context(), []string{"http://www.trap.test/", "http://www.site.test/"}, ""); err != nil {
		t.Fatal(err)
	}
	w.idle()
	e.mu.Lock()
	defer e.mu.Unlock()
	t.Logf("asked %v", e.asked)
	if n := e.asked["www.site.test"]; n != e.pages {
		t.Errorf("%d of %d pages of the site", n, e.pages)
	}
	if n := e.asked["www.trap.test"]; n < 1000 {
		t.Errorf("the endless host was asked for %d pages: nothing stood beside the site", n)
	}
}
