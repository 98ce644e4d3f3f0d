package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"millrace/bench/wide"
)

// web is the synthetic web that waits, sites with a feed beside it, and their hub.
type web struct {
	wide  wide.Web
	hub   *hub
	mu    sync.Mutex
	sites []*site
}

// site publishes items.
type site struct {
	host  string
	push  bool // a hub pushes its items
	items []*item
	polls []time.Time // answers of its feed
}

// item is a page that a feed lists, with the moments of its way.
type item struct {
	url       string
	pushed    bool // by a hub
	published time.Time
	listed    time.Time // in an answer of the feed, or pushed
	fetched   time.Time
	extracted time.Time // its document is on docs.extracted
	unique    time.Time // and on docs.unique
	found     time.Time
}

const listed = 20 // items of a feed

func newWeb(s settings) *web {
	w := &web{wide: wide.Web{Pages: s.waiting, Vocabulary: 1_000_000}}
	for i := range s.sites {
		w.sites = append(w.sites, &site{host: fmt.Sprintf("www.news%d.test", i), push: i < s.hubs})
	}
	w.hub = newHub()
	return w
}

// feeds are the addresses of all feeds.
func (w *web) feeds() (out []string) {
	for _, s := range w.sites {
		out = append(out, "http://"+s.host+"/feed")
	}
	return out
}

// publish lets a site publish one item.
func (w *web) publish(i int, now time.Time) {
	w.mu.Lock()
	s := w.sites[i]
	it := &item{url: fmt.Sprintf("http://%s/item/%d", s.host, len(s.items)), published: now, pushed: s.push}
	s.items = append(s.items, it)
	body := s.feed(len(s.items) - 1)
	if s.push {
		it.listed = now
	}
	w.mu.Unlock()
	if s.push {
		w.hub.push("http://"+s.host+"/feed", body)
	}
}

// ServeHTTP implements http.Handler.
func (w *web) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	if r.Host == hubHost {
		w.hub.ServeHTTP(to, r)
		return
	}
	n, isNews := strings.CutPrefix(strings.TrimSuffix(r.Host, ".test"), "www.news")
	i, err := strconv.Atoi(n)
	if !isNews || err != nil || i < 0 || i >= len(w.sites) {
		w.wide.ServeHTTP(to, r)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s, now := w.sites[i], time.Now()
	k, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/item/"))
	switch {
	case r.URL.Path == "/feed":
		first := max(0, len(s.items)-listed)
		for _, it := range s.items[first:] {
			if it.listed.IsZero() {
				it.listed = now
			}
		}
		s.polls = append(s.polls, now)
		to.Header().Set("Content-Type", "application/atom+xml")
		_, _ = io.WriteString(to, s.feed(first))
	case err == nil && k >= 0 && k < len(s.items):
		if it := s.items[k]; it.fetched.IsZero() {
			it.fetched = now
		}
		to.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(to, article(uint64(i)<<32|uint64(k)))
	default:
		http.NotFound(to, r)
	}
}

// feed is the site's feed from an item on.
func (s *site) feed(first int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>%s</title><id>http://%s/feed</id><link rel="self" href="http://%s/feed"/>`, s.host, s.host, s.host)
	if s.push {
		fmt.Fprintf(&b, `<link rel="hub" href="http://%s/"/>`, hubHost)
	}
	for _, it := range s.items[first:] {
		fmt.Fprintf(&b, `<entry><id>%s</id><title>%s</title><link href="%s"/><updated>%s</updated></entry>`, it.url, it.url, it.url, it.published.UTC().Format(time.RFC3339Nano))
	}
	b.WriteString("</feed>")
	return b.String()
}

// article is a page with words of its own.
func article(n uint64) string {
	r := rand.New(rand.NewPCG(n, 2))
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>%s</title><article><h1>%s</h1><p>", wide.Word(n+1), wide.Word(n+1))
	for i := range 300 {
		b.WriteString(wide.Word(r.Uint64N(1_000_000)))
		b.WriteString([]string{" ", ". "}[min(i%15/14, 1)])
	}
	return b.String() + "</article></html>"
}

const hubHost = "hub.test"

// hub is a WebSub hub: it verifies subscriptions, and pushes.
type hub struct {
	client http.Client // reaches the crawl
	queue  chan func()
	mu     sync.Mutex
	to     map[string]string // callback, by topic
}

func newHub() *hub { return &hub{to: map[string]string{}, queue: make(chan func(), 10_000)} }

// run does what is queued until the queue is closed.
func (h *hub) run() {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for do := range h.queue {
				do()
			}
		})
	}
	all.Wait()
	h.client.CloseIdleConnections()
}

// ServeHTTP takes a subscription, and has it verified.
func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	topic, callback := r.PostForm.Get("hub.topic"), r.PostForm.Get("hub.callback")
	h.queue <- func() {
		q := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.challenge": {"yes"}, "hub.lease_seconds": {"86400"}}
		if a, err := h.client.Get(callback + "?" + q.Encode()); err == nil {
			b, _ := io.ReadAll(io.LimitReader(a.Body, 100))
			if _ = a.Body.Close(); string(b) == "yes" {
				h.mu.Lock()
				h.to[topic] = callback
				h.mu.Unlock()
			}
		}
	}
	w.WriteHeader(http.StatusAccepted)
}

// push sends content to who subscribed to a topic; nobody: it is lost, as with any hub.
func (h *hub) push(topic, body string) {
	h.mu.Lock()
	callback := h.to[topic]
	h.mu.Unlock()
	if callback == "" {
		return
	}
	h.queue <- func() {
		if a, err := h.client.Post(callback, "application/atom+xml", strings.NewReader(body)); err == nil {
			_ = a.Body.Close()
		}
	}
}

// subscribed is how many topics have somebody who is told.
func (h *hub) subscribed() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.to)
}
