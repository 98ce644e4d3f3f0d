package origin_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/ops/simweb"
	"millrace/ops/simweb/clock"
	"millrace/ops/simweb/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type site struct {
	t     *testing.T
	w     *simweb.World
	srv   *simweb.Server
	clock *clock.Simulated
	c     *http.Client
}

func start(t *testing.T, change func(*simweb.Profile), serve func(*simweb.ServeOptions)) *site {
	t.Helper()
	p, err := simweb.Load("fast")
	if err != nil {
		t.Fatal(err)
	}
	p.Hosts, p.Pages.Min, p.Pages.Max = 6, 60, 60
	if change != nil {
		change(&p)
	}
	w, err := simweb.Build(p, 5, simweb.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	opts := simweb.DefaultServe()
	sim := clock.NewSimulated(w.Start())
	opts.Clock = sim
	if serve != nil {
		serve(&opts)
	}
	srv, err := simweb.Serve(w, opts)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, w: w, srv: srv, clock: sim}
	s.c = s.client(&http.Transport{
		DialContext: srv.DialContext, TLSClientConfig: &tls.Config{RootCAs: srv.CertPool()}, DisableCompression: true,
	})
	t.Cleanup(func() { srv.Close() })
	return s
}

func (s *site) client(tr *http.Transport) *http.Client {
	s.t.Cleanup(tr.CloseIdleConnections)
	stop := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: tr, CheckRedirect: stop}
}

func (s *site) do(c *http.Client, method, url string, head ...string) (*http.Response, []byte, error) {
	s.t.Helper()
	req, err := http.NewRequest(method, url, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(head); i += 2 {
		if head[i+1] != "" {
			req.Header.Set(head[i], head[i+1])
		}
	}
	res, err := c.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res, body, err
}

func (s *site) get(url string, head ...string) (*http.Response, []byte) {
	s.t.Helper()
	res, body, err := s.do(s.c, http.MethodGet, url, head...)
	if err != nil {
		s.t.Fatal(err)
	}
	return res, body
}

// page finds the first page of host 0 with a role, as its URL.
func (s *site) page(role world.Role) string {
	s.t.Helper()
	for i := range s.w.Pages(0) {
		u := s.w.URL(world.Ref{Page: world.ID(world.Tree, i)}, "")
		if l, _ := s.w.Look(u, s.clock.Now()); l.Role == role && (i > 0 || role != world.Plain) {
			return u
		}
	}
	s.t.Fatalf("no page with role %v", role)
	return ""
}

func leaves(shares map[string]float64) func(*simweb.Profile) {
	return func(p *simweb.Profile) { p.Leaves = shares }
}

func TestConditionalRequestsFollowTheChanges(t *testing.T) {
	for _, sends := range []string{"both", "etag", "last-modified", "none"} {
		t.Run(sends, func(t *testing.T) {
			s := start(t, func(p *simweb.Profile) {
				p.Change.Share, p.Change.Fastest, p.Change.Slowest = 1, time.Hour, time.Hour
				p.History = 10 * time.Hour
				if sends == "etag" || sends == "none" {
					p.Change.NoLastModified = 1
				}
				if sends == "last-modified" || sends == "none" {
					p.Change.NoETag = 1
				}
			}, nil)
			u := s.page(world.Plain)
			res, body := s.get(u)
			seen304, changed := 0, 0
			for range 30 {
				s.clock.Advance(7 * time.Minute)
				res2, body2 := s.get(u, "If-None-Match", res.Header.Get("ETag"), "If-Modified-Since", res.Header.Get("Last-Modified"))
				_, now := s.get(u)
				same := bytes.Equal(now, body)
				if same {
					seen304++
				} else {
					changed++
				}
				switch {
				case same && sends != "none" && res2.StatusCode != 304:
					t.Fatalf("unchanged, got %d", res2.StatusCode)
				case (!same || sends == "none") && (res2.StatusCode != 200 || !bytes.Equal(body2, now)):
					t.Fatalf("changed or no validators, got %d", res2.StatusCode)
				}
				if res2.StatusCode == 200 {
					res, body = res2, body2
				}
			}
			if seen304 == 0 || changed == 0 {
				t.Fatalf("%d times the same, %d times changed: shows nothing", seen304, changed)
			}
		})
	}
}

func TestIfNoneMatchGoesBeforeIfModifiedSince(t *testing.T) {
	s := start(t, nil, nil)
	u := s.page(world.Plain)
	res, _ := s.get(u)
	last := res.Header.Get("Last-Modified")
	for tag, want := range map[string]int{
		`"other"`: 200, `"other", ` + res.Header.Get("ETag"): 304, "W/" + res.Header.Get("ETag"): 304, "*": 304,
	} {
		if res, _ := s.get(u, "If-None-Match", tag, "If-Modified-Since", last); res.StatusCode != want {
			t.Errorf("If-None-Match: %s gives %d, want %d", tag, res.StatusCode, want)
		}
	}
}

func TestGzipHeadAndRange(t *testing.T) {
	s := start(t, nil, nil)
	u := s.page(world.Plain)
	_, plain := s.get(u)
	res, packed := s.get(u, "Accept-Encoding", "br, gzip;q=0.8")
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil || res.Header.Get("Content-Encoding") != "gzip" {
		t.Fatal(err, res.Header)
	}
	if unpacked, err := io.ReadAll(z); err != nil || !bytes.Equal(unpacked, plain) || len(packed) > len(plain)*7/10 {
		t.Errorf("gzip: %d bytes of %d, %v", len(packed), len(plain), err)
	}
	if res, _ := s.get(u, "Accept-Encoding", "gzip;q=0"); res.Header.Get("Content-Encoding") != "" {
		t.Error("gzip was refused and sent")
	}
	if res, body := s.get(u, "Range", "bytes=0-9"); res.StatusCode != 200 || len(body) != len(plain) {
		t.Error("Range was not ignored")
	}
	res, body, err := s.do(s.c, http.MethodHead, u)
	if err != nil || len(body) != 0 || res.ContentLength != int64(len(plain)) {
		t.Errorf("HEAD: %d bytes, length %d, %v", len(body), res.ContentLength, err)
	}
}

func TestAHangLastsUntilTheClientOrTheServerGoes(t *testing.T) {
	s := start(t, leaves(map[string]float64{"hang": 0.5}), nil)
	u := s.page(world.Hang)
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "GET", u, nil)
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error)
	go func() { _, err := s.c.Do(req); failed <- err }()
	go func() { _, _, err := s.do(s.c, "GET", u); failed <- err }()
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	s.srv.Close() // waits for all handlers
	if err := <-failed; err == nil {
		t.Fatal("an answer came")
	}
}

func TestReachedByProxyTLSAndTunnel(t *testing.T) {
	s := start(t, func(p *simweb.Profile) { p.Hosting.HTTPS = 0.5 }, nil)
	proxy, err := url.Parse("http://" + s.srv.Addr())
	if err != nil {
		t.Fatal(err)
	}
	proxied := s.client(&http.Transport{
		Proxy: http.ProxyURL(proxy), DisableCompression: true, TLSClientConfig: &tls.Config{RootCAs: s.srv.CertPool()},
	})
	for h := range world.Host(6) {
		u := s.w.URL(s.w.Home(h), "")
		_, direct := s.get(u)
		_, through, err := s.do(proxied, "GET", u)
		if err != nil || !bytes.Equal(direct, through) {
			t.Errorf("%s: proxy: %v, %d and %d bytes", u, err, len(direct), len(through))
		}
	}
}

func TestLinksCarryThePortOfTheRequest(t *testing.T) {
	s := start(t, nil, nil)
	_, plain := s.get("http://h0.site0.test/")
	_, port := s.get(fmt.Sprintf("http://h0.site0.test:%d/", s.srv.Port()))
	want := strings.ReplaceAll(string(plain), `.test/`, fmt.Sprintf(".test:%d/", s.srv.Port()))
	if string(port) != want || string(plain) == want {
		t.Error("links to other hosts do not carry the port")
	}
}

func TestHostsHaveTheirOwnAddresses(t *testing.T) {
	s := start(t, nil, func(o *simweb.ServeOptions) { o.Addresses = 3 })
	seen := map[string]bool{}
	for h := range world.Host(6) {
		host, _, err := net.SplitHostPort(s.srv.AddrOf(s.w.HostName(h)))
		if err != nil || host != fmt.Sprintf("127.0.0.%d", 1+h%3) {
			t.Errorf("host %d at %s, %v", h, host, err)
		}
		seen[host] = true
		s.get(s.w.URL(s.w.Home(h), ""))
	}
	rep, err := s.srv.Judge().Report(simweb.DefaultJudge())
	if err != nil || rep.Addresses.Keys != 3 || len(seen) != 3 {
		t.Errorf("%d addresses seen by the judge, %v", rep.Addresses.Keys, err)
	}
}

func TestOverridesChangeAnswersAndTruth(t *testing.T) {
	s := start(t, nil, nil)
	gone, twin, moved, made := s.page(world.Plain), "http://h0.site0.test/twin.html", "http://h1.site0.test/moved", "http://h0.site0.test/made"
	_, original := s.get(s.w.URL(world.Ref{Page: world.ID(world.Tree, 2)}, ""))
	for u, o := range map[string]simweb.Override{
		gone:  {Status: 404},
		twin:  {SameAs: s.w.URL(world.Ref{Page: world.ID(world.Tree, 2)}, "")},
		moved: {Status: 301, Location: twin},
		made:  {Title: "Made & done", Text: "One\nTwo", Links: []string{twin, moved, gone}},
	} {
		if err := s.srv.Override(u, o); err != nil {
			t.Fatal(err)
		}
	}
	if res, _ := s.get(gone); res.StatusCode != 404 {
		t.Error("still there")
	}
	if _, body := s.get(twin); !bytes.Equal(body, original) {
		t.Error("the twin differs")
	}
	if res, _ := s.get(moved); res.Header.Get("Location") != twin {
		t.Error("not moved")
	}
	if _, body := s.get(made); !bytes.Contains(body, []byte("<h1>Made &amp; done</h1>")) {
		t.Errorf("%s", body)
	}
	rules := simweb.DefaultRules(s.clock.Now(), made)
	rules.MaxDepth = 1
	tr, err := s.srv.Truth(rules)
	if err != nil || len(tr.URLs) != 4 || tr.URLs[gone].Status != 404 || tr.Docs[twin] == nil || tr.Docs[made] == nil {
		t.Errorf("%v %+v", err, tr)
	}
	s.srv.Restore(gone)
	if res, _ := s.get(gone); res.StatusCode != 200 {
		t.Error("not restored")
	}
	if s.srv.Override("http://elsewhere.test/", simweb.Override{Status: 404}) == nil {
		t.Error("a host that is not of the web was taken")
	}
}

// A client that connects and says nothing must neither hold up others nor the
// server's end.
func TestSilentConnectionsHoldNothingUp(t *testing.T) {
	s := start(t, nil, nil)
	c, err := net.Dial("tcp", s.srv.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s.get("http://h0.site0.test/")
	s.srv.Close()
	if _, err := bufio.NewReader(c).ReadByte(); err == nil {
		t.Error("the connection lives")
	}
}

// A client that has its whole answer and asks for the next page must never be
// said to have had two requests in flight.
func TestARequestEndsBeforeTheClientHasItsAnswer(t *testing.T) {
	s := start(t, func(p *simweb.Profile) {
		p.Hosts = 4
		p.Size.Max, p.Size.Sigma = 300_000, 2
	}, nil)
	c := s.client(&http.Transport{DialContext: s.srv.DialContext, DisableKeepAlives: true})
	var wg sync.WaitGroup
	for h := range world.Host(4) {
		wg.Go(func() {
			for i := range uint64(60) {
				if _, _, err := s.do(c, "GET", s.w.URL(world.Ref{Host: h, Page: world.ID(world.Tree, i)}, "")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	rep, err := s.srv.Judge().Report(simweb.DefaultJudge())
	if err != nil || rep.Hosts.MaxInFlight != 1 || rep.Requests != 240 {
		t.Errorf("%v: %d requests, %d in flight", err, rep.Requests, rep.Hosts.MaxInFlight)
	}
}

// A robots.txt that changes binds from then on, not before.
func TestAnOverriddenRobotsFileBindsFromThenOn(t *testing.T) {
	s := start(t, nil, nil)
	robots, page := "http://h0.site0.test/robots.txt", s.page(world.Plain)
	s.get(robots)
	s.get(page)
	s.clock.Advance(time.Minute)
	closed := []world.Group{{Agents: []string{"*"}, Rules: []world.Rule{{Pattern: "/"}}}}
	if err := s.srv.Override(robots, simweb.Override{Robots: closed}); err != nil {
		t.Fatal(err)
	}
	if _, body := s.get(robots); string(body) != "User-agent: *\nDisallow: /\n\n" {
		t.Errorf("%q", body)
	}
	count := func() int {
		rep, err := s.srv.Judge().Report(simweb.DefaultJudge())
		if err != nil {
			t.Fatal(err)
		}
		return rep.Robots.Disallowed
	}
	if n := count(); n != 0 {
		t.Errorf("%d disallowed before the change", n)
	}
	s.get(page)
	if n := count(); n != 1 {
		t.Errorf("%d disallowed after it, want 1", n)
	}
	if err := s.srv.Override(robots, simweb.Override{Status: 503}); err != nil {
		t.Fatal(err)
	}
	tr, err := s.srv.Truth(simweb.DefaultRules(s.clock.Now(), page))
	if err != nil || tr.URLs[page].Kind != "denied" {
		t.Errorf("503: %v %+v", err, tr.URLs[page])
	}
}

// Overload comes and goes, strikes robots.txt as well, and says when it ends.
func TestOverloadedHostsSayWhenToComeBack(t *testing.T) {
	s := start(t, func(p *simweb.Profile) { p.Hosting.Overload = 1 }, nil)
	seen := map[int]int{}
	for range 60 {
		s.clock.Advance(time.Minute)
		res, _ := s.get("http://h0.site0.test/robots.txt")
		seen[res.StatusCode]++
		if after, err := time.ParseDuration(res.Header.Get("Retry-After") + "s"); res.StatusCode != 200 && (err != nil || after <= 0 || after > 2*time.Minute) {
			t.Errorf("%d, Retry-After %q", res.StatusCode, res.Header.Get("Retry-After"))
		}
	}
	if seen[200] < 30 || seen[429]+seen[503] < 4 || len(seen) != 3 {
		t.Errorf("answers %v", seen)
	}
}
