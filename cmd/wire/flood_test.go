package wire

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// flooding serves a good site of ten pages, a page with a million links, and a page of 300 KB that
// unpacks to 256 MiB.
type flooding struct {
	bomb  []byte
	mu    sync.Mutex
	asked map[string]int // by host
}

func newFlooding(t *testing.T) *flooding {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	block := bytes.Repeat([]byte("<p>water turns the wheel of the mill "), 1<<15)
	for range 256 << 20 / len(block) {
		if _, err := z.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &flooding{bomb: b.Bytes(), asked: map[string]int{}}
}

func (f *flooding) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	f.mu.Lock()
	f.asked[r.Host]++
	f.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	switch {
	case r.Host == "www.bomb.test":
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(f.bomb)
	case r.Host == "www.flood.test" && r.URL.Path == "/":
		fmt.Fprint(w, "<!doctype html><title>Flood</title><p>"+strings.Repeat(filler, 3))
		for i := range 1_000_000 { // the body is cut at its bound, as any other
			fmt.Fprintf(w, "<a href=/%d>%d</a>\n", i, i)
		}
	case r.Host == "www.flood.test":
		fmt.Fprint(w, webPage("Drop "+r.URL.Path, strings.Repeat(filler+r.URL.Path+" ", 3)))
	default:
		var links []string
		for i := range 10 {
			links = append(links, fmt.Sprint("/p", i))
		}
		fmt.Fprint(w, webPage("Good "+r.URL.Path, strings.Repeat(filler+r.URL.Path+" ", 3), links...))
	}
}

// A page of a million links and a page that unpacks to 256 MiB cost what one page may cost: of the
// links as many are kept as of any page, and the good site beside them is complete and found.
func TestAFloodOfLinksAndABombStayOnePageEach(t *testing.T) {
	f := newFlooding(t)
	o := &origin{Server: httptest.NewServer(f)}
	t.Cleanup(o.Close)
	cfg := DefaultConfig()
	cfg.MaxPagesHost = 40
	w := start(t, cfg, o)
	if err := w.SeedURLs(t.Context(), []string{"http://www.flood.test/", "http://www.bomb.test/", "http://www.site.test/"}, ""); err != nil {
		t.Fatal(err)
	}
	w.idle()
	known := int64(0)
	for _, n := range w.Status().URLs {
		known += n
	}
	const most = 1000 + 11 + 1 + 2 // links of a page (page.Options.MaxLinks), the good site, the bomb, the seeds
	if known > most || known < 500 {
		t.Errorf("%d URLs are known, at most %d", known, most)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := f.asked["www.site.test"]; n != 11 {
		t.Errorf("%d of 11 pages of the site were asked for", n)
	}
	if got := w.search("site:site.test wheel"); len(got) < 10 {
		t.Errorf("found of the site: %v", got)
	}
}
