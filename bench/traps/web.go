package traps

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Pages are the paths of the pages that must be found.
func (s Site) Pages() []string { return s.honest() }

// Web is the origin of all hosts.
type Web struct {
	server  *http.Server
	addr    string
	session atomic.Int64
	sites   []Site

	mu   sync.Mutex
	seen map[string]map[string]int // requests by host and path
	pace map[string]*Pace          // by host
}

// Pace says when a host was asked.
type Pace struct {
	Robots int           // requests for /robots.txt
	Least  time.Duration // between the arrivals of two requests; 0 = there were not two
	AtOnce int           // most requests at the same time
	last   time.Time
	now    int
}

// Site is one host of the web.
type Site struct {
	Name   string
	About  string
	Trap   bool
	serve  func(w *Web, path, query string) (string, bool) // HTML; false = 404
	honest func() []string                                 // paths of the pages that must be found
	handle handler                                         // asked before serve; nil = none
	below  bool                                            // it answers for all hosts below its name, too
}

// Sites are the hosts, traps first.
func Sites() []Site {
	return append(append(trapSites(), honestSites()...), odd()...)
}

// Sites are those that it serves.
func (w *Web) Sites() []Site { return w.sites }

// New returns a web that listens nowhere, with all sites if none is named: its ServeHTTP can be
// called.
func New(sites ...Site) *Web {
	if len(sites) == 0 {
		sites = Sites()
	}
	w := &Web{sites: sites, seen: map[string]map[string]int{}, pace: map[string]*Pace{}}
	w.server = &http.Server{Handler: w}
	return w
}

// Serve starts a web on a free port of the loopback address, with all sites if none is named.
func Serve(sites ...Site) (*Web, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := New(sites...)
	w.addr = l.Addr().String()
	go func() { _ = w.server.Serve(l) }()
	return w, nil
}

// Addr is where it listens.
func (w *Web) Addr() string { return w.addr }

// Close ends it.
func (w *Web) Close() error { return w.server.Close() }

// ServeHTTP answers by host.
func (w *Web) ServeHTTP(res http.ResponseWriter, req *http.Request) {
	host, _, _ := strings.Cut(req.Host, ":")
	defer w.arrived(host, req)()
	for _, s := range w.sites {
		if s.Name != host && !(s.below && strings.HasSuffix(host, "."+s.Name)) {
			continue
		}
		if s.handle != nil && s.handle(w, res, req) {
			return
		}
		body, ok := s.serve(w, req.URL.Path, req.URL.RawQuery)
		switch {
		case !ok:
			http.NotFound(res, req)
		case strings.HasPrefix(body, redirectTo):
			http.Redirect(res, req, strings.TrimPrefix(body, redirectTo), http.StatusFound)
			return
		case strings.HasPrefix(body, "<?xml"):
			res.Header().Set("Content-Type", "application/xml")
		case strings.HasPrefix(body, "User-agent"):
			res.Header().Set("Content-Type", "text/plain")
		default:
			res.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		if ok {
			_, _ = res.Write([]byte(body))
		}
		return
	}
	http.NotFound(res, req)
}

// arrived counts a request, and returns what to call at its end.
func (w *Web) arrived(host string, req *http.Request) (end func()) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[host] == nil {
		w.seen[host], w.pace[host] = map[string]int{}, &Pace{}
	}
	w.seen[host][req.URL.RequestURI()]++
	p := w.pace[host]
	if since := now.Sub(p.last); !p.last.IsZero() && (p.Least == 0 || since < p.Least) {
		p.Least = since
	}
	if req.URL.Path == "/robots.txt" {
		p.Robots++
	}
	p.last = now
	p.now++
	p.AtOnce = max(p.AtOnce, p.now)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		p.now--
	}
}

// Paces returns how each host was asked so far.
func (w *Web) Paces() map[string]Pace {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[string]Pace{}
	for host, p := range w.pace {
		out[host] = *p
	}
	return out
}

// Count holds the numbers of a crawl's requests to a site, and of the pages found.
type Count struct {
	Site     string
	Trap     bool
	Requests int
	Extra    int // requests for what is no honest page, robots.txt left out
	Honest   int // pages that must be found
	Found    int // of them
}

// Counts returns what was asked for so far.
func (w *Web) Counts() []Count {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []Count
	for _, s := range w.sites {
		c := Count{Site: s.Name, Trap: s.Trap}
		must := map[string]bool{}
		for _, p := range s.honest() {
			must[p] = true
		}
		c.Honest = len(must)
		for path, n := range w.asked(s) {
			c.Requests += n
			switch {
			case must[path]:
				c.Found++
			case path != "/robots.txt":
				c.Extra += n
			}
		}
		out = append(out, c)
	}
	return out
}

// asked are the requests to a site by path; of hosts below it the host comes first.
func (w *Web) asked(s Site) map[string]int {
	if !s.below {
		return w.seen[s.Name]
	}
	out := map[string]int{}
	for host, paths := range w.seen {
		for path, n := range paths {
			if host == s.Name {
				out[path] += n
			} else if strings.HasSuffix(host, "."+s.Name) && path != "/robots.txt" {
				out[host+path] += n
			}
		}
	}
	return out
}

// draws is a source of random numbers that depends on a text.
func draws(parts ...any) *rand.Rand {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, parts...)
	return rand.New(rand.NewPCG(h.Sum64(), 5))
}

const vocabulary = `the of and a to in is was by for with on that from at which water stone mill river bridge weir wheel
village market road field forest winter summer family letter window garden harvest carpenter teacher doctor engine
repair measure plan result method question answer history region council budget school church tower wall gate boat
harbour island storm light night morning paper ink press book page chapter author reader number table line figure
colour green white heavy early late small large first last new old common rare simple clear public private local`

// sentences are n sentences of drawn words.
func sentences(r *rand.Rand, n int) string {
	words := strings.Fields(vocabulary)
	var b strings.Builder
	for range n {
		for i := range 9 + r.IntN(6) {
			word := words[r.IntN(len(words))]
			if i == 0 {
				word = strings.ToUpper(word[:1]) + word[1:]
			}
			b.WriteString(word + " ")
		}
		b.WriteString(". ")
	}
	return b.String()
}

// page is a page with a title, a text and links.
func page(title, text string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><head><title>%s</title></head><body><nav><a href=\"/\">Home</a></nav><main><h1>%s</h1>", title, title)
	for i, p := range strings.SplitAfter(text, " . ") {
		if i%3 == 0 {
			b.WriteString("<p>")
		}
		b.WriteString(p)
	}
	b.WriteString("</main><ul>")
	for _, l := range links {
		fmt.Fprintf(&b, "<li><a href=\"%s\">%s</a></li>", strings.ReplaceAll(l, "&", "&amp;"), "More")
	}
	return b.String() + "</ul></body></html>"
}

func article(key string, links ...string) string {
	r := draws(key)
	title := strings.Title(strings.TrimSuffix(sentences(r, 1)[:30], " "))
	return page(title, sentences(r, 14), links...)
}
