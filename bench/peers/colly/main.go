// Command colly is a crawler of the library of that name for bench/peers: it
// turns seeds into JSON lines of title, text and links, as its documentation
// shows.
//
// Caveats: it is a module of its own, so that millrace does not depend on what
// it is compared with. It forgets everything when it ends.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gocolly/colly/v2"
)

func main() {
	o := options{}
	flag.StringVar(&o.origin, "origin", "", "address of all hosts")
	flag.StringVar(&o.seeds, "seeds", "", "file of URLs, one a line")
	flag.StringVar(&o.out, "out", "", "file to write")
	flag.StringVar(&o.agent, "agent", "peer", "User-Agent")
	flag.DurationVar(&o.delay, "delay", 0, "delay between requests to a host; 0: none, 32 at once in all")
	flag.Parse()
	if err := crawl(o); err != nil {
		fmt.Fprintln(os.Stderr, "colly:", err)
		os.Exit(1)
	}
}

type options struct {
	origin, seeds, out, agent string
	delay                     time.Duration
}

// page is a line of the output.
type page struct {
	URL   string   `json:"url"`
	Title string   `json:"title"`
	Text  string   `json:"text"`
	Links []string `json:"links"`
}

func crawl(o options) (err error) {
	b, err := os.ReadFile(o.seeds)
	if err != nil {
		return err
	}
	seeds := strings.Fields(string(b))
	f, err := os.Create(o.out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<16)
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
	return w.Flush()
}

// collector follows all links and writes a line per page.
func collector(o options, seeds []string, w io.Writer) (*colly.Collector, error) {
	c := colly.NewCollector(colly.Async(true), colly.UserAgent(o.agent))
	c.IgnoreRobotsTxt = false
	c.DisableCookies()
	c.WithTransport(&http.Transport{MaxIdleConnsPerHost: 32, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, o.origin)
	}})
	if err := c.Limits(rules(o.delay, seeds)); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	out := json.NewEncoder(w)
	c.OnHTML("html", func(e *colly.HTMLElement) {
		p := page{URL: e.Request.URL.String(), Title: e.ChildText("title"), Text: e.ChildText("body")}
		for _, href := range e.ChildAttrs("a[href]", "href") {
			p.Links = append(p.Links, e.Request.AbsoluteURL(href))
		}
		mu.Lock()
		out.Encode(p)
		mu.Unlock()
		for _, l := range p.Links {
			e.Request.Visit(l) // refuses what was visited or is forbidden
		}
	})
	return c, nil
}

// rules are one for all hosts, or one per host: a rule has one clock.
func rules(delay time.Duration, seeds []string) []*colly.LimitRule {
	if delay == 0 {
		return []*colly.LimitRule{{DomainGlob: "*", Parallelism: 32}}
	}
	var list []*colly.LimitRule
	for _, s := range seeds {
		if u, err := url.Parse(s); err == nil {
			list = append(list, &colly.LimitRule{DomainGlob: u.Host, Parallelism: 1, Delay: delay})
		}
	}
	return list
}
