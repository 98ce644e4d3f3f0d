//go:build linux

package operators

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// web answers for any host. A page /open/N or /shut/N links to the next one; the first pages link
// to both, and every page to /later once that is named.
type web struct {
	*httptest.Server
	names atomic.Bool // pages name /later

	mu     sync.Mutex
	asked  map[string]int // requests by URL
	times  map[string][]time.Time
	flying map[string]int // requests of a site under way
	atOnce int            // most of these
	events chan struct{}
}

func newWeb(t *testing.T) *web {
	w := &web{asked: map[string]int{}, times: map[string][]time.Time{}, flying: map[string]int{}, events: make(chan struct{}, 64)}
	w.Server = httptest.NewServer(http.HandlerFunc(w.answer))
	t.Cleanup(w.Close)
	return w
}

// siteOf is the site of a host: its last two labels.
func siteOf(host string) string {
	labels := strings.Split(host, ".")
	return strings.Join(labels[max(0, len(labels)-2):], ".")
}

func (w *web) answer(out http.ResponseWriter, r *http.Request) {
	site := siteOf(r.Host)
	w.mu.Lock()
	w.asked["http://"+r.Host+r.URL.Path]++
	w.times[site] = append(w.times[site], time.Now())
	w.flying[site]++
	w.atOnce = max(w.atOnce, w.flying[site])
	w.mu.Unlock()
	w.stir()
	defer func() { w.mu.Lock(); w.flying[site]--; w.mu.Unlock() }()
	if r.URL.Path == "/robots.txt" {
		http.NotFound(out, r)
		return
	}
	out.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(out, "<title>%s %s</title><p>%s", r.Host, r.URL.Path, strings.Repeat(wordOf(r.Host, r.URL.Path)+" is what this page is about. ", 5))
	part, number := "", 0
	if n, _ := fmt.Sscanf(strings.ReplaceAll(r.URL.Path, "/", " "), "%s %d", &part, &number); n == 2 {
		fmt.Fprintf(out, `<p><a href="/%s/%d">on</a>`, part, number+1)
	} else {
		fmt.Fprint(out, `<p><a href="/open/0">open</a> <a href="/shut/0">shut</a>`)
	}
	if w.names.Load() {
		fmt.Fprint(out, ` <a href="/later">later</a>`)
	}
}

// wordOf is a word that stands on one page only.
func wordOf(host, path string) string {
	return "w" + strings.NewReplacer(".", "x", "/", "z").Replace(host+path)
}

// count is how many requests there were for URLs that contain part.
func (w *web) count(part string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for url, times := range w.asked {
		if strings.Contains(url, part) {
			n += times
		}
	}
	return n
}

// requests is how many there were for a URL.
func (w *web) requests(url string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked[url]
}

// stir makes an event.
func (w *web) stir() {
	select {
	case w.events <- struct{}{}:
	default: // enough are waiting
	}
}

// event is where one comes in after each request and each line that a process prints.
func (w *web) event() <-chan struct{} { return w.events }
