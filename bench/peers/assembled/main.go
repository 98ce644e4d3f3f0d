// Command assembled is the program that a Go programmer builds from libraries instead of using
// millrace, in one process: colly crawls, go-trafilatura takes the main text, bleve indexes it. It
// is for bench/peers.
//
// How it works: a fixed number of workers take URLs from a queue in memory and visit them with
// colly, each one page at a time from request to index, so pages do not pile up. (colly's own
// asynchronous mode starts a goroutine a link and held 22 GB of pages that waited.) Every page is
// parsed once: links are read and the text is taken from that tree. trafilatura uses its fallbacks,
// as its documentation advises where quality counts, unless -fallback=false. Documents reach the
// index in batches of 1,000, or of 8 MB of text if that is less, as bleve's documentation advises
// for bulk loads; bleve merges as it does by default.
//
// Caveats: it is a module of its own, so that millrace does not depend on what it is compared with.
// It forgets what is queued and visited when it ends, and knows no duplicates.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/PuerkitoBio/goquery"
	"github.com/blevesearch/bleve/v2"
	"github.com/gocolly/colly/v2"
	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"
)

const (
	batchSize  = 1000 // documents
	batchBytes = 8 << 20
)

type options struct {
	origin, seeds, index, agent string
	workers                     int
	fallback                    bool
}

// document holds the parts of a page that are indexed.
type document struct{ Title, Text string }

func main() {
	o := options{}
	flag.StringVar(&o.origin, "origin", "", "address of all hosts")
	flag.StringVar(&o.seeds, "seeds", "", "file of URLs, one a line; only their hosts are crawled")
	flag.StringVar(&o.index, "index", "", "directory to make the index in")
	flag.StringVar(&o.agent, "agent", "peer", "User-Agent")
	flag.IntVar(&o.workers, "workers", 4*runtime.NumCPU(), "pages at once")
	flag.BoolVar(&o.fallback, "fallback", true, "let trafilatura try other extractors where it is unsure")
	flag.Parse()
	if err := crawl(o); err != nil {
		fmt.Fprintln(os.Stderr, "assembled:", err)
		os.Exit(1)
	}
}

func crawl(o options) (err error) {
	b, err := os.ReadFile(o.seeds)
	if err != nil {
		return err
	}
	seeds := strings.Fields(string(b))
	index, err := bleve.New(o.index, bleve.NewIndexMapping())
	if err != nil {
		return err
	}
	w := &writer{index: index, batch: index.NewBatch()}
	defer func() { err = errors.Join(err, w.flush(), index.Close()) }()
	q := newQueue(seeds)
	c := collector(o, q, w)
	var workers sync.WaitGroup
	for range o.workers {
		workers.Go(func() {
			for {
				u, ok := q.take()
				if !ok {
					return
				}
				_ = c.Visit(u) // what is forbidden, or not there, is no page
				q.done()
			}
		})
	}
	workers.Wait()
	return nil
}

// collector follows the links within the seeds' hosts and indexes every page.
func collector(o options, q *queue, w *writer) *colly.Collector {
	c := colly.NewCollector(colly.UserAgent(o.agent), colly.AllowURLRevisit()) // the queue knows what was visited
	c.IgnoreRobotsTxt = false
	c.DisableCookies()
	c.WithTransport(&http.Transport{MaxIdleConnsPerHost: o.workers, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, o.origin)
	}})
	c.OnResponse(func(r *colly.Response) {
		if !strings.Contains(r.Headers.Get("Content-Type"), "html") {
			return
		}
		tree, err := html.Parse(bytes.NewReader(r.Body))
		if err != nil {
			return
		}
		goquery.NewDocumentFromNode(tree).Find("a[href]").Each(func(_ int, a *goquery.Selection) {
			href, _ := a.Attr("href")
			q.add(r.Request.AbsoluteURL(href))
		})
		text, err := trafilatura.ExtractDocument(tree, trafilatura.Options{OriginalURL: r.Request.URL, EnableFallback: o.fallback})
		if err != nil || text == nil {
			return
		}
		w.add(r.Request.URL.String(), document{text.Metadata.Title, text.ContentText})
	})
	return c
}

// queue holds the URLs to visit, each once.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	hosts   map[string]bool
	seen    map[string]bool
	waiting []string
	open    int // taken and not done
}

func newQueue(seeds []string) *queue {
	q := &queue{hosts: map[string]bool{}, seen: map[string]bool{}}
	q.changed = sync.NewCond(&q.mu)
	for _, s := range seeds {
		if u, err := url.Parse(s); err == nil {
			q.hosts[u.Hostname()] = true
		}
	}
	for _, s := range seeds {
		q.add(s)
	}
	return q
}

// add queues a URL of the seeds' hosts that was not seen, without its fragment.
func (q *queue) add(raw string) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" || !q.hosts[u.Hostname()] {
		return
	}
	u.Fragment, u.RawFragment = "", ""
	key := u.String()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.seen[key] {
		return
	}
	q.seen[key] = true
	q.waiting = append(q.waiting, key)
	q.changed.Signal()
}

// take waits for a URL; false when nothing is left and nobody can bring more.
func (q *queue) take() (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 && q.open > 0 {
		q.changed.Wait()
	}
	if len(q.waiting) == 0 {
		return "", false
	}
	u := q.waiting[0]
	q.waiting = q.waiting[1:]
	q.open++
	return u, true
}

func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open--; q.open == 0 {
		q.changed.Broadcast()
	}
}

// writer indexes in batches.
type writer struct {
	mu    sync.Mutex
	index bleve.Index
	batch *bleve.Batch
	bytes int
	err   error
}

func (w *writer) add(id string, d document) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = errors.Join(w.err, w.batch.Index(id, d))
	if w.bytes += len(d.Text); w.batch.Size() >= batchSize || w.bytes >= batchBytes {
		w.err = errors.Join(w.err, w.index.Batch(w.batch))
		w.batch, w.bytes = w.index.NewBatch(), 0
	}
}

func (w *writer) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(w.err, w.index.Batch(w.batch))
}
