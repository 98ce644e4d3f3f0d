package web

import (
	"context"
	"millrace/ops/deadletters"
	"millrace/ops/records"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// A page of another site can let its own name resolve to this address: what the browser sends then
// carries that name.
func TestARequestUnderAStrangersNameReadsNothing(t *testing.T) {
	s := newSite(t)
	s.o.Names = []string{"Search.example.org"}
	for host, ok := range map[string]bool{
		"evil.test": false, "evil.test:8080": false, "127.0.0.1.evil.test": false, "localhost.evil.test": false, "evil.test.": false, "x": false,
		"127.0.0.1:8080": true, "127.0.0.1": true, "[::1]:8080": true, "[::1]": true, "10.0.0.7:80": true,
		"localhost:8080": true, "LOCALHOST": true, "a.localhost": true, "search.example.org": true, "search.example.org.:443": true,
	} {
		for _, r := range Routes() {
			if strings.HasPrefix(r.Pattern, "POST ") {
				continue
			}
			path := strings.NewReplacer("GET ", "", "{$}", "", "{topic}", "docs.unique", "debug/pprof/{name}", "debug/pprof/cmdline", "{name}", "icon.svg").Replace(r.Pattern)
			req := httptest.NewRequest(http.MethodGet, path, nil)
			req.Host = host
			rec := s.do(req)
			if refused := rec.Code == http.StatusMisdirectedRequest; refused == (ok || r.Access == Open) {
				t.Errorf("%s as %q: %d", path, host, rec.Code)
			}
		}
	}
	req := httptest.NewRequest(http.MethodGet, "/api/v1/status", nil)
	req.Host = "evil.test"
	req.Header.Set("Authorization", "Bearer "+token) // who has the token is no stranger
	if rec := s.do(req); rec.Code != http.StatusOK {
		t.Errorf("with the token: %d", rec.Code)
	}
}

// On an address that other machines reach, reading needs the token; with --public-search all but
// searching does.
func TestBeyondLoopbackReadingNeedsTheToken(t *testing.T) {
	for _, public := range []bool{false, true} {
		s := newSite(t)
		s.o.Listen, s.o.PublicSearch = "0.0.0.0:0", public
		for _, r := range Routes() {
			if strings.HasPrefix(r.Pattern, "POST ") {
				continue
			}
			path := strings.NewReplacer("GET ", "", "{$}", "", "{topic}", "docs.unique", "{name}", "icon.svg").Replace(r.Pattern)
			open := r.Access == Open || public && r.Access == Searching
			for name, c := range map[string]struct {
				header string
				open   bool
			}{
				"none": {"", open}, "bearer": {"Bearer " + token, true}, "wrong": {"Bearer x" + token[1:], open},
			} {
				req := httptest.NewRequest(http.MethodGet, path, nil)
				req.Header.Set("Authorization", c.header)
				if rec := s.do(req); (rec.Code != http.StatusUnauthorized) != c.open {
					t.Errorf("public %v, %s with %s: %d", public, path, name, rec.Code)
				}
			}
		}
		// A browser asks for the token by itself, and sends it as the password; with that nothing
		// changes.
		req := httptest.NewRequest(http.MethodGet, "/dashboard", nil)
		if rec := s.do(req); !strings.HasPrefix(rec.Header().Get("WWW-Authenticate"), "Basic ") {
			t.Errorf("a browser is not asked for the password: %q", rec.Header())
		}
		req.SetBasicAuth("anybody", token)
		if rec := s.do(req); rec.Code != http.StatusOK {
			t.Errorf("with the password: %d %s", rec.Code, rec.Body)
		}
		post := postRequest("/api/v1/recheck", `{"urls":["https://a.test/"]}`)
		post.SetBasicAuth("anybody", token)
		if rec := s.do(post); rec.Code != http.StatusUnauthorized {
			t.Errorf("a password changes something: %d", rec.Code)
		}
	}
}

// What a process holds in memory is for its operator, on loopback too; go tool pprof sends the
// token as a password.
func TestProfilesNeedTheTokenEverywhere(t *testing.T) {
	s := newSite(t)
	get := func(path string, as func(*http.Request)) *httptest.ResponseRecorder {
		req := httptest.NewRequest(http.MethodGet, "/debug/pprof/"+path, nil)
		as(req)
		return s.do(req)
	}
	stranger := func(*http.Request) {}
	owner := func(r *http.Request) { r.SetBasicAuth("x", token) }
	if rec := get("goroutine", stranger); rec.Code != http.StatusUnauthorized {
		t.Errorf("without the token: %d", rec.Code)
	}
	if rec := get("goroutine?debug=1", owner); rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), "goroutine profile") {
		t.Errorf("with the token: %d %.80s", rec.Code, rec.Body)
	}
	if rec := get("nothing", owner); rec.Code != http.StatusNotFound {
		t.Errorf("an unknown profile: %d", rec.Code)
	}
	if rec := get("profile?seconds=99999", owner); rec.Code != http.StatusBadRequest {
		t.Errorf("a profile of a day: %d", rec.Code)
	}
}

func TestThePublicListShowsWhoMayUseARoute(t *testing.T) {
	open := []string{"GET /api/v1/{$}", "GET /healthz", "GET /readyz", "GET /api/v1/openapi.json", "GET /api/v1/asyncapi.json", "GET /robots.txt", "GET /assets/{name}", "GET /websub/{id}", "GET /indexnow"}
	open = append(open, pushed...)
	searching := []string{"GET /{$}", "GET /api/v1/search", "GET /api/v1/suggest", "GET /text", "GET /api/v1/text", "GET /rss", "GET /opensearch.xml"}
	for _, r := range Routes() {
		want := Reading
		switch {
		case slices.Contains(open, r.Pattern):
			want = Open
		case slices.Contains(searching, r.Pattern):
			want = Searching
		case strings.HasPrefix(r.Pattern, "POST "):
			want = Changing
		case strings.HasPrefix(r.Pattern, "GET /debug/"):
			want = Inspecting
		}
		if r.Access != want {
			t.Errorf("%s: %s, want %s", r.Pattern, r.Access, want)
		}
	}
}

// Whoever reads topics slowly takes places of readers of topics only.
func TestSlowReadersOfATopicDoNotKeepOthersFromTheDeadLetters(t *testing.T) {
	s := newSite(t)
	inside, leave := make(chan struct{}), make(chan struct{})
	s.d.Records = func(ctx context.Context, _ string, _ records.Options, _ func(records.Record) error) error {
		inside <- struct{}{}
		<-leave
		return nil
	}
	s.d.DeadLetters = func(context.Context, int) ([]deadletters.Letter, error) { return nil, nil }
	s.server()
	ended := make(chan struct{})
	for range s.o.MaxReaders {
		go func() { s.get("/api/v1/topics/docs.unique"); ended <- struct{}{} }()
	}
	for range s.o.MaxReaders {
		<-inside
	}
	if rec := s.get("/api/v1/topics/docs.unique"); rec.Code != http.StatusServiceUnavailable {
		t.Errorf("one reader too many: %d", rec.Code)
	}
	if rec := s.get("/api/v1/dead-letters"); rec.Code != http.StatusOK {
		t.Errorf("dead letters: %d %s", rec.Code, rec.Body)
	}
	close(leave)
	for range s.o.MaxReaders {
		<-ended
	}
}

func TestACompressedBodyIsRefused(t *testing.T) {
	s := newSite(t)
	s.d.Recheck = func(context.Context, []string, bool) (Rechecked, error) { return Rechecked{}, nil }
	for _, coding := range []string{"gzip", "br", "zstd", "identity, gzip"} {
		r := postRequest("/api/v1/recheck", `{"urls":["https://a.test/"]}`)
		r.Header.Set("Content-Encoding", coding)
		if rec := s.do(r); rec.Code != http.StatusUnsupportedMediaType {
			t.Errorf("%s: %d", coding, rec.Code)
		}
	}
}

// Whatever a body holds, the answer says what is wrong with it, and nothing else happens.
func FuzzBodiesOfPosts(f *testing.F) {
	for _, b := range []string{`{}`, `{"urls":["https://a.test/"],"prefix":true}`, `{"urls":["a"],"scope":"any"}`, `{"offsets":[1,2]}`, `{"all":true}`,
		`[`, `{"urls":[[[[`, `{"urls":null}`, `{"offsets":[1e400]}`, "\xff", `{"all":true}{"all":true}`} {
		f.Add([]byte(b))
	}
	s := newSite(f)
	s.d.Recheck = func(_ context.Context, urls []string, _ bool) (Rechecked, error) {
		return Rechecked{}, checkURLs(f, urls)
	}
	s.d.Seed = func(_ context.Context, urls []string, _ string) (Seeded, error) { return Seeded{}, checkURLs(f, urls) }
	s.d.Rebuild, s.d.Rebuilding = func() error { return nil }, func() Rebuild { return Rebuild{} }
	s.d.PutBack = func(_ context.Context, offsets []int64) (int, error) { return len(offsets), nil }
	s.d.Operators = yesMan{}
	s.d.Replayer = noReplay{}
	server := s.server()
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, route := range Routes() {
			path, post := strings.CutPrefix(route.Pattern, "POST ")
			if !post || slices.Contains(pushed, route.Pattern) {
				continue
			}
			rec := httptest.NewRecorder()
			server.ServeHTTP(rec, postRequest(path, string(body)))
			switch rec.Code {
			case http.StatusOK, http.StatusAccepted, http.StatusBadRequest, http.StatusRequestEntityTooLarge:
			default:
				t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
			}
		}
	})
}

func checkURLs(f *testing.F, urls []string) error {
	if len(urls) < 1 || len(urls) > maxURLs {
		f.Errorf("%d URLs got through", len(urls))
	}
	return nil
}

// A real server on a real address decides by the address it took.
func TestTheAddressThatWasTakenDecides(t *testing.T) {
	for listen, loopback := range map[string]bool{"127.0.0.1:0": true, "localhost:0": true, "0.0.0.0:0": false, ":0": false} {
		s := newSite(t)
		s.o.Listen = listen
		want := http.StatusUnauthorized
		if loopback {
			want = http.StatusOK
		}
		if got := s.get("/dashboard").Code; got != want {
			t.Errorf("%s: reading without the token gives %d, want %d", listen, got, want)
		}
	}
	if isLoopback(&net.UnixAddr{}) {
		t.Error("an unknown kind of address counts as loopback")
	}
}

// yesMan takes whatever an operator decides.
type yesMan struct{ Operators }

func (yesMan) ChangeRules(context.Context, RuleChange) (RuleChanged, error) {
	return RuleChanged{}, nil
}
func (yesMan) Pause(context.Context, PauseCall) (Decided, error)     { return Decided{}, nil }
func (yesMan) Forget(context.Context, ForgetCall) (Forgotten, error) { return Forgotten{}, nil }
