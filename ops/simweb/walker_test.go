package simweb

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"millrace/ops/simweb/truth"
	"millrace/ops/simweb/world"
)

// walker is a crawler that knows nothing of the world: it fetches, parses HTML
// with x/net/html and robots.txt by itself.
type walker struct {
	t      *testing.T
	client *http.Client
	robots map[string]world.RobotsFile
	found  map[string]*visited
	depth  int  // links followed from a seed; -1: no limit
	langs  bool // follows rel=alternate hreflang
}

type visited struct {
	kind      truth.Kind
	depth     int
	text      string // title and article
	canonical string
	noIndex   bool
	doubtful  bool
	links     []string
	location  string
}

func newWalker(t *testing.T, srv *Server) *walker {
	tr := &http.Transport{
		DialContext:     srv.DialContext,
		TLSClientConfig: &tls.Config{RootCAs: srv.CertPool()},
		MaxIdleConns:    50,
	}
	t.Cleanup(tr.CloseIdleConnections)
	stop := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &walker{
		t: t, client: &http.Client{Transport: tr, CheckRedirect: stop},
		robots: map[string]world.RobotsFile{}, found: map[string]*visited{}, depth: -1,
	}
}

func (w *walker) get(u string) (status int, head http.Header, body []byte, err error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, u, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("User-Agent", "millrace-walker")
	res, err := w.client.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	return res.StatusCode, res.Header, body, err
}

// walk visits everything within reach, breadth first.
func (w *walker) walk(seeds []string) {
	type step struct {
		url   string
		depth int
	}
	var queue []step
	for _, s := range seeds {
		queue = append(queue, step{s, 0})
	}
	for depth := 0; len(queue) > 0; depth++ {
		var next []step
		for i := 0; i < len(queue); i++ {
			s := queue[i]
			if w.found[s.url] != nil {
				continue
			}
			v := w.visit(s.url)
			v.depth = depth
			w.found[s.url] = v
			for _, l := range v.links {
				if depth != w.depth {
					next = append(next, step{l, depth + 1})
				}
			}
			if v.kind == truth.Redirect {
				queue = append(queue, step{v.location, depth})
			}
		}
		queue = next
	}
}

func (w *walker) visit(u string) *visited {
	if !truth.Allowed(w.robotsOf(u), "millrace", strings.TrimPrefix(u, originOf(u))) {
		return &visited{kind: truth.Denied}
	}
	if truth.InTrap(u) {
		return &visited{kind: truth.Trapped}
	}
	status, head, body, err := w.get(u)
	v := &visited{}
	switch {
	case status/100 == 3:
		v.kind, v.location = truth.Redirect, resolve(u, head.Get("Location"))
	case err != nil && status == 0 || status != 0 && status != 200:
		v.kind = truth.Failed
	default:
		w.read(v, u, head.Get("Content-Type"), body, err != nil)
	}
	return v
}

func (w *walker) read(v *visited, u, mediaType string, body []byte, broken bool) {
	v.kind = truth.Page
	switch {
	case strings.HasPrefix(mediaType, "image/"):
		v.kind = truth.File
		return
	case broken, mediaType == "text/html; charset=utf-8" && !bytes.HasSuffix(body, []byte("</html>\n")),
		mediaType == "application/octet-stream", strings.Contains(mediaType, "8859"):
		v.doubtful = true
		return
	case mediaType == "application/pdf":
		v.text = string(body)
		return
	}
	root, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		w.t.Fatal(err)
	}
	w.collect(v, u, root, false)
}

func (w *walker) collect(v *visited, base string, n *html.Node, inText bool) {
	switch {
	case n.Type == html.TextNode && inText:
		v.text += n.Data
	case n.Type != html.ElementNode:
	case n.Data == "a":
		v.links = append(v.links, resolve(base, attr(n, "href")))
	case n.Data == "title" || n.Data == "article":
		inText = true
	case n.Data == "link" && attr(n, "rel") == "canonical":
		v.canonical = resolve(base, attr(n, "href"))
	case n.Data == "link" && attr(n, "rel") == "alternate" && attr(n, "hreflang") != "":
		if to := resolve(base, attr(n, "href")); w.langs && to != base {
			v.links = append(v.links, to)
		}
	case n.Data == "meta" && attr(n, "name") == "robots":
		v.noIndex = strings.Contains(attr(n, "content"), "noindex")
	case n.Data == "meta" && attr(n, "http-equiv") == "refresh":
		_, to, _ := strings.Cut(attr(n, "content"), "url=")
		v.links = append(v.links, resolve(base, to))
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.collect(v, base, c, inText)
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// resolve makes a URL of an href as every crawler does: it resolves dots, lowers
// the case of scheme and host, and cuts the fragment.
func resolve(base, href string) string {
	b, err1 := url.Parse(base)
	u, err2 := url.Parse(strings.TrimSpace(href))
	if err1 != nil || err2 != nil {
		return ""
	}
	u = b.ResolveReference(u)
	u.Scheme, u.Host, u.Fragment = strings.ToLower(u.Scheme), strings.ToLower(u.Host), ""
	return u.String()
}

func originOf(u string) string {
	p, err := url.Parse(u)
	if err != nil {
		return ""
	}
	return p.Scheme + "://" + p.Host
}

func (w *walker) robotsOf(u string) world.RobotsFile {
	at := originOf(u)
	if f, ok := w.robots[at]; ok {
		return f
	}
	f := world.RobotsFile{}
	next := at + "/robots.txt"
	for range 6 {
		status, head, body, err := w.get(next)
		if err != nil {
			status = 0
		}
		f.Status, f.Groups = status, readRobots(body)
		if status/100 != 3 {
			break
		}
		next = resolve(next, head.Get("Location"))
	}
	w.robots[at] = f
	return f
}

// readRobots is a second reader of RFC 9309: 500 KiB at most.
func readRobots(body []byte) []world.Group {
	text := strings.TrimPrefix(string(body[:min(len(body), 500<<10)]), "\uFEFF")
	var groups []world.Group
	open := false // the last line was a user-agent
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		key, value, ok := strings.Cut(line, ":")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		if !ok {
			continue
		}
		switch key {
		case "user-agent":
			if !open {
				groups = append(groups, world.Group{})
			}
			g := &groups[len(groups)-1]
			g.Agents = append(g.Agents, value)
			open = true
			continue
		case "allow", "disallow":
			if len(groups) > 0 && value != "" {
				g := &groups[len(groups)-1]
				g.Rules = append(g.Rules, world.Rule{Allow: key == "allow", Pattern: value})
			}
		case "crawl-delay":
			if d, err := time.ParseDuration(value + "s"); err == nil && len(groups) > 0 {
				groups[len(groups)-1].Delay = d
			}
		}
		open = false
	}
	return groups
}

// documents groups what was found by site and text; a second reading of the rules of package truth.
// A page gives way to the live page of its site that it names as canonical, if that has another
// text and names no third page; of two that name each other the one with the better URL stands.
func (w *walker) documents() [][]string {
	live := func(u string) *visited {
		if v := w.found[u]; v != nil && v.kind == truth.Page && !v.noIndex {
			return v
		}
		return nil
	}
	names := func(u string) string { // the other page of its site that u names, whatever is there
		v := live(u)
		if v == nil || v.canonical == "" || v.canonical == u || site(v.canonical) != site(u) {
			return ""
		}
		return v.canonical
	}
	better := func(a, b string) bool {
		if sa, sb := strings.HasPrefix(a, "https:"), strings.HasPrefix(b, "https:"); sa != sb {
			return sa
		}
		if len(a) != len(b) {
			return len(a) < len(b)
		}
		return a < b
	}
	clusters := map[string][]string{}
	for u := range w.found {
		v := live(u)
		if v == nil || v.doubtful {
			continue
		}
		if to := names(u); to != "" && live(to) != nil && live(to).text != v.text {
			if back := names(to); back == "" || back == u && better(to, u) {
				continue
			}
		}
		key := site(u) + "\x00" + v.text
		clusters[key] = append(clusters[key], u)
	}
	return slices.Collect(maps.Values(clusters))
}

func site(u string) string {
	p, err := url.Parse(u)
	if err != nil {
		return ""
	}
	host, _, err := net.SplitHostPort(p.Host)
	if err != nil {
		host = p.Host
	}
	labels := strings.Split(host, ".")
	return strings.Join(labels[len(labels)-2:], ".")
}

var loc = regexp.MustCompile(`<(?:loc|link)>(.*?)</|<link href="(.*?)"/>`)

// announced reads the feeds and sitemaps of the seeds' hosts. A sitemap that is
// cut in the middle is read as far as it goes.
func (w *walker) announced(seeds []string) []string {
	var urls []string
	for _, seed := range seeds {
		base := originOf(seed)
		for _, feed := range []string{"/feed.rss", "/feed.atom"} {
			urls = append(urls, w.locations(base+feed)...)
		}
		for _, part := range w.locations(base + "/sitemap.xml") {
			urls = append(urls, w.locations(part)...)
		}
	}
	return urls
}

func (w *walker) locations(u string) []string {
	status, head, body, err := w.get(u)
	if err != nil || status != 200 {
		w.t.Fatal(u, status, err)
	}
	if head.Get("Content-Type") == "application/gzip" {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			w.t.Fatal(err)
		}
		if body, err = io.ReadAll(z); err != nil {
			w.t.Fatal(err)
		}
	}
	var urls []string
	for _, m := range loc.FindAllSubmatch(body, -1) {
		if to := string(m[1]) + string(m[2]); to != originOf(u)+"/" || !strings.Contains(u, "/feed.") {
			urls = append(urls, html.UnescapeString(to))
		}
	}
	return urls
}
