// Command assembled is what a Go programmer builds instead of millrace, in one process: colly crawls,
// go-trafilatura takes the main text, bleve indexes it. It is for bench/peers.
//
// How it works: every page is parsed once; links are read and the text is taken from that tree, without
// trafilatura's fallbacks, which cost more; documents reach the index in batches of 1,000, as bleve's
// documentation advises for bulk loads.
//
// Caveats: it is a module of its own, so that millrace does not depend on what it is compared with. It
// forgets what is queued and visited when it ends, and knows no duplicates.
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
	atOnce    = 32   // requests
	batchSize = 1000 // documents
)

type options struct{ origin, seeds, index, agent string }

// document is what is indexed.
type document struct{ Title, Text string }

func main() {
	o := options{}
	flag.StringVar(&o.origin, "origin", "", "address of all hosts")
	flag.StringVar(&o.seeds, "seeds", "", "file of URLs, one a line; only their hosts are crawled")
	flag.StringVar(&o.index, "index", "", "directory to make the index in")
	flag.StringVar(&o.agent, "agent", "peer", "User-Agent")
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
	c, err := collector(o, seeds, w)
	if err != nil {
		return err
	}
	for _, s := range seeds {
		var met *colly.AlreadyVisitedError // a link was faster
		if err := c.Visit(s); err != nil && !errors.As(err, &met) {
			return err
		}
	}
	c.Wait()
	return nil
}

// collector follows the links within the seeds' hosts and indexes every page.
func collector(o options, seeds []string, w *writer) (*colly.Collector, error) {
	c := colly.NewCollector(colly.Async(true), colly.UserAgent(o.agent), colly.AllowedDomains(hosts(seeds)...))
	c.IgnoreRobotsTxt = false
	c.DisableCookies()
	c.WithTransport(&http.Transport{MaxIdleConnsPerHost: atOnce, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, o.origin)
	}})
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: atOnce}); err != nil {
		return nil, err
	}
	places := make(chan struct{}, runtime.NumCPU()) // colly bounds requests, not what is done with answers
	c.OnResponse(func(r *colly.Response) {
		places <- struct{}{}
		defer func() { <-places }()
		if !strings.Contains(r.Headers.Get("Content-Type"), "html") {
			return
		}
		tree, err := html.Parse(bytes.NewReader(r.Body))
		if err != nil {
			return
		}
		goquery.NewDocumentFromNode(tree).Find("a[href]").Each(func(_ int, a *goquery.Selection) {
			href, _ := a.Attr("href")
			r.Request.Visit(r.Request.AbsoluteURL(href)) // refuses what was visited or is forbidden
		})
		text, err := trafilatura.ExtractDocument(tree, trafilatura.Options{OriginalURL: r.Request.URL})
		if err != nil || text == nil {
			return
		}
		w.add(r.Request.URL.String(), document{text.Metadata.Title, text.ContentText})
	})
	return c, nil
}

func hosts(seeds []string) (list []string) {
	for _, s := range seeds {
		if u, err := url.Parse(s); err == nil {
			list = append(list, u.Hostname())
		}
	}
	return list
}

// writer indexes in batches.
type writer struct {
	mu    sync.Mutex
	index bleve.Index
	batch *bleve.Batch
	err   error
}

func (w *writer) add(id string, d document) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err = errors.Join(w.err, w.batch.Index(id, d)); w.batch.Size() >= batchSize {
		w.err = errors.Join(w.err, w.index.Batch(w.batch))
		w.batch = w.index.NewBatch()
	}
}

func (w *writer) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(w.err, w.index.Batch(w.batch))
}
