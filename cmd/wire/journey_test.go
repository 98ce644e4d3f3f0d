package wire

import (
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/ops/cluster/clustertest"
	"millrace/topics"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// gocql sleeps out its reconnection pause after Close.
		goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*Session).handleNodeUp"))
}

const (
	home  = "http://www.a.test/"
	story = "http://www.a.test/story"
	twin  = "http://www.a.test/story?print=1"
	text  = "The mill race carries the water from the weir to the wheel, and the miller keeps it clear of weed. "
)

// origin is a web site of three pages; a test takes one away and gives it back.
type origin struct {
	*httptest.Server
	mu   sync.Mutex
	gone map[string]bool
}

func newOrigin(t *testing.T) *origin {
	o := &origin{gone: map[string]bool{}}
	o.Server = httptest.NewServer(http.HandlerFunc(o.serve))
	t.Cleanup(o.Close)
	return o
}

func (o *origin) serve(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	page := ""
	switch url := "http://" + r.Host + r.URL.RequestURI(); {
	case r.Host != "www.a.test" || o.gone[url]:
	case url == home:
		page = `<title>Home</title><p>` + strings.Repeat("A page that leads to the others. ", 8) + `<a href="/story">the story</a> <a href="/story?print=1">for print</a>`
	case url == story || url == twin:
		page = `<html lang=en><title>The mill race</title><article><p>` + strings.Repeat(text, 3) + `</article>`
	}
	if page == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("ETag", `"v1"`)
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(page))
}

func (o *origin) set(url string, gone bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gone[url] = gone
}

// found returns the URLs that a search for a phrase of the story finds.
func (w *world) found() string {
	w.t.Helper()
	r, err := w.Search(w.t.Context(), `"keeps it clear of weed"`, 0, 10)
	if err != nil {
		w.t.Fatal(err)
	}
	var urls []string
	for _, h := range r.Hits {
		urls = append(urls, h.URL)
	}
	return strings.Join(urls, " ")
}

func (w *world) wantFound(what, url string) {
	w.t.Helper()
	if got := w.found(); got != url {
		w.t.Errorf("%s: found %q, want %q", what, got, url)
	}
}

// TestAURLTravelsFromSeedToSearchAndBack is the story of this program: follow it
// with the golden files beside it.
func TestAURLTravelsFromSeedToSearchAndBack(t *testing.T) {
	t.Run("embedded", func(t *testing.T) { journey(t, DefaultConfig()) })
	t.Run("cluster", func(t *testing.T) {
		cfg := DefaultConfig()
		cfg.Brokers = clustertest.KafkaAlone(t)
		cfg.Store = "cql://" + strings.Join(clustertest.CQL(t), ",") + "/" + clustertest.Name(t)
		cfg.Partitions, cfg.Replicas = 4, 1
		clearTopics(t, cfg)
		if _, err := Provision(t.Context(), cfg, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		journey(t, cfg)
	})
}

func journey(t *testing.T, cfg Config) {
	o := newOrigin(t)
	w := start(t, cfg, o)
	w.seed(home)
	for _, about := range []func(*world) string{
		tell(topics.Discovered()), tell(topics.Scheduled()), tell(topics.Pages()), tell(topics.Extracted()), tell(topics.Unique()),
	} {
		golden(t, about(w))
	}
	w.wantFound("after the crawl", story)

	o.set(story, true)
	w.recheck(story)
	w.wantFound("the page is gone, its twin takes over", twin)

	o.set(story, false)
	w.recheck(story)
	w.wantFound("the page is back, with the same ETag", story)

	o.set(story, true)
	o.set(twin, true)
	w.recheck(story)
	w.recheck(twin)
	w.wantFound("both are gone", "")
	golden(t, life(w))
}
