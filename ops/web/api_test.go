package web

import (
	"bufio"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"millrace/ops/deadletters"
	"millrace/ops/records"
	"millrace/ops/watch"
	"millrace/topics"
)

// Calls that change something: without the token, with a wrong one, or from a page
// of another site, nothing happens.
func TestNothingChangesWithoutTheToken(t *testing.T) {
	s := newSite(t)
	calls := 0
	s.d.Recheck = func(context.Context, []string, bool) (Rechecked, error) { calls++; return Rechecked{}, nil }
	s.d.Seed = func(context.Context, []string, string) (Seeded, error) { calls++; return Seeded{}, nil }
	s.d.Rebuild, s.d.Rebuilding = func() error { calls++; return nil }, func() Rebuild { return Rebuild{} }
	s.d.PutBack = func(context.Context, []int64) (int, error) { calls++; return 1, nil }
	for path, body := range map[string]string{"/api/v1/recheck": `{"urls":["https://a.test/"]}`, "/api/v1/seeds": `{"urls":["https://a.test/"]}`, "/api/v1/rebuild": `{}`, "/api/v1/dead-letters": `{"all":true}`} {
		for name, c := range map[string]struct {
			spoil  func(http.Header)
			status int
		}{
			"no token":       {func(h http.Header) { h.Del("Authorization") }, 401},
			"wrong token":    {func(h http.Header) { h.Set("Authorization", "Bearer "+strings.Repeat("x", 32)) }, 401},
			"part of it":     {func(h http.Header) { h.Set("Authorization", "Bearer "+token[:31]) }, 401},
			"other scheme":   {func(h http.Header) { h.Set("Authorization", "Basic "+token) }, 401},
			"other site":     {func(h http.Header) { h.Set("Sec-Fetch-Site", "cross-site") }, 403},
			"other origin":   {func(h http.Header) { h.Set("Origin", "https://evil.test") }, 403},
			"a form's body":  {func(h http.Header) { h.Set("Content-Type", "application/x-www-form-urlencoded") }, 415},
			"no declaration": {func(h http.Header) { h.Del("Content-Type") }, 415},
		} {
			r := postRequest(path, body)
			c.spoil(r.Header)
			if rec := s.do(r); rec.Code != c.status || !strings.HasPrefix(rec.Body.String(), `{"error":"`) {
				t.Errorf("%s, %s: %d %s", path, name, rec.Code, rec.Body)
			}
		}
		if calls != 0 {
			t.Fatalf("%s was done all the same", path)
		}
		if rec := s.post(path, body); rec.Code != http.StatusAccepted || calls != 1 {
			t.Errorf("%s with the token: %d %s", path, rec.Code, rec.Body)
		}
		calls = 0
	}
}

// pushed are the routes of content that hubs push, and of URLs that sites announce. Both are fuzzed
// where they are handled (producers/websub, producers/indexnow).
var pushed = []string{"POST /websub/{id}", "POST /indexnow"}

// Every route that takes anything but GET must need the token: the list shows it.
func TestRoutesThatChangeNeedTheToken(t *testing.T) {
	for _, r := range Routes() {
		if slices.Contains(pushed, r.Pattern) { // no token: the address, or a key on the host, is the proof
			continue
		}
		if get := strings.HasPrefix(r.Pattern, "GET "); get == (r.Access == Changing) {
			t.Errorf("%s: %s", r.Pattern, r.Access)
		}
	}
}

func TestBodiesAreChecked(t *testing.T) {
	s := newSite(t)
	var urls []string
	var prefix bool
	s.d.Recheck = func(_ context.Context, u []string, p bool) (Rechecked, error) {
		urls, prefix = u, p
		return Rechecked{}, nil
	}
	for body, status := range map[string]int{
		`{"urls":["https://a.test/"],"prefix":true}`: 202,
		``:                            400,
		`{}`:                          400,
		`{"urls":[]}`:                 400,
		`{"urls":"a"}`:                400,
		`{"urls":["a"],"force":true}`: 400,
		`{"urls":["a"]} {}`:           400,
		`{"urls":["` + strings.Repeat("a", 1<<20) + `"]}`:       413,
		`{"urls":[` + strings.Repeat(`"a",`, maxURLs) + `"a"]}`: 400,
	} {
		if rec := s.post("/api/v1/recheck", body); rec.Code != status {
			t.Errorf("%.60s: %d %s, want %d", body, rec.Code, rec.Body, status)
		}
	}
	if !slices.Equal(urls, []string{"https://a.test/"}) || !prefix {
		t.Errorf("rechecked %v, prefix %v", urls, prefix)
	}
}

func TestBounds(t *testing.T) {
	s := newSite(t)
	for path, status := range map[string]int{
		"/api/v1/search": 400, "/api/v1/search?q=a&size=100": 200, "/api/v1/search?q=a&size=101": 400, "/api/v1/search?q=a&size=0": 400,
		"/api/v1/search?q=a&from=1000": 200, "/api/v1/search?q=a&from=1001": 400, "/api/v1/search?q=a&from=-1": 400,
		"/api/v1/search?q=" + strings.Repeat("x", 1024): 200, "/api/v1/search?q=" + strings.Repeat("x", 1025): 400,
		"/api/v1/search?q=a&junk=" + strings.Repeat("x", maxRawQuery): 414,
		"/api/v1/why": 400, "/api/v1/why?url=a": 501, "/api/v1/nothing": 404, "/api/v1/recheck": 405, "/nothing": 404,
		"/api/v1/topics/nothing": 501, "/api/v1/dead-letters": 501,
	} {
		rec := s.get(path)
		if rec.Code != status {
			t.Errorf("%.60s: %d %s, want %d", path, rec.Code, rec.Body, status)
		}
		if api := strings.HasPrefix(path, "/api/"); status >= 400 && api != strings.HasPrefix(rec.Body.String(), `{"error":"`) {
			t.Errorf("%.60s: the error is %s", path, rec.Body)
		}
	}
}

// A name that nobody reads would be ignored, and the answer would be to another question.
func TestAParameterThatDoesNotExistIsNamed(t *testing.T) {
	s := newSite(t)
	for query, want := range map[string]string{
		"search?q=a&form=10": "there is no parameter \\\"form\\\": did you mean from?", "search?q=a&per-site=1": "per_site", "search?query=a": "takes q, from",
		"search?q=a&q=b": "q is given 2 times", "search?q=a;size=3": "cannot be read", "search?q=%zz": "cannot be read", "search?q=100%": "%25",
		"status?q=a": "takes none", "suggest?q=a&size=1": "takes q", "topics/docs.unique?form_beginning": "from_beginning", "openapi.json?x=1": "takes none",
	} {
		if rec := s.get("/api/v1/" + query); rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s: %d %s", query, rec.Code, rec.Body)
		}
	}
	if rec := s.get("/api/v1/search?q=" + strings.Repeat("x", maxRawQuery)); !strings.Contains(rec.Body.String(), "the query is too long") {
		t.Error(rec.Body)
	}
	for _, path := range []string{"/?q=a&utm_source=x", "/rss?q=a&size=3", "/api/v1/topics/docs.unique?where=a=1&where=b=1", "/api/v1/search?q=a&facets&explain=true"} {
		if rec := s.get(path); rec.Code == http.StatusBadRequest {
			t.Errorf("%s: %s", path, rec.Body)
		}
	}
}

// What a call takes is in its documents: the sentence of the list of routes, and OpenAPI.
func TestParametersAreDocumented(t *testing.T) {
	paths := at(described(t, newSite(t)), "paths")
	checked := 0
	for _, r := range Routes() {
		method, path, _ := strings.Cut(strings.TrimSuffix(r.Pattern, "{$}"), " ")
		names, _ := takes(r.Pattern)
		for _, name := range names {
			listed := false
			params, _ := at(paths, path, strings.ToLower(method), "parameters").([]any)
			for _, p := range params {
				listed = listed || at(p, "name") == name
			}
			if checked++; !listed && strings.HasPrefix(path, "/api/") {
				t.Errorf("%s: OpenAPI lacks %s", r.Pattern, name)
			}
			if words := strings.FieldsFunc(r.About, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) }); !slices.Contains(words, name) {
				t.Errorf("%s: %q does not name %s", r.Pattern, r.About, name)
			}
		}
	}
	if checked < 30 {
		t.Fatal(checked)
	}
}

func TestTooManySearchesAreToldToComeAgain(t *testing.T) {
	s := newSite(t)
	s.o.MaxSearches = 1
	inside, leave, ended := make(chan struct{}), make(chan struct{}), make(chan int)
	s.d.Search = func(context.Context, Question) (Results, error) {
		close(inside)
		<-leave
		return Results{}, nil
	}
	s.server()
	go func() { ended <- s.get("/api/v1/search?q=a").Code }()
	<-inside
	rec := s.get("/api/v1/search?q=b")
	if rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") == "" {
		t.Errorf("the second search: %d", rec.Code)
	}
	close(leave)
	if code := <-ended; code != http.StatusOK {
		t.Errorf("the first search: %d", code)
	}
}

func TestEveryAnswerIsGuardedByHeaders(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/", "/dashboard", "/why", "/nothing", "/api/v1/lag", "/metrics", "/assets/millrace.js"} {
		h := s.get(path).Header()
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		if h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s may be read by other sites", path)
		}
	}
}

// Everything a page loads is in this server, and can be kept for ever.
func TestPagesLoadOnlyTheirOwn(t *testing.T) {
	s := newSite(t)
	loads := 0
	for _, path := range []string{"/", "/?q=a", "/dashboard", "/why", "/nothing"} {
		status := http.StatusOK
		if path == "/nothing" {
			status = http.StatusNotFound
		}
		for n := range s.page(path, status).root.Descendants() {
			src := attr(n, "src")
			if n.Data == "link" && (attr(n, "rel") == "stylesheet" || attr(n, "rel") == "icon") {
				src = attr(n, "href")
			}
			if src == "" {
				continue
			}
			loads++
			rec := s.get(src)
			if !strings.HasPrefix(src, "/assets/") || rec.Code != http.StatusOK || !strings.Contains(rec.Header().Get("Cache-Control"), "immutable") {
				t.Errorf("%s loads %s: %d, %s", path, src, rec.Code, rec.Header())
			}
		}
	}
	if loads != 15 {
		t.Errorf("%d things are loaded by five pages, want three each", loads)
	}
}

func TestCatStreamsRecords(t *testing.T) {
	s := newSite(t)
	var asked records.Options
	s.d.Records = func(_ context.Context, topic string, o records.Options, each func(records.Record) error) error {
		asked = o
		for i := range int64(3) {
			if err := each(records.Record{Partition: 1, Offset: i, Key: "com.example", Time: time.Unix(1, 0).UTC(), Value: json.RawMessage(`{"url":"<"}`)}); err != nil {
				return err
			}
		}
		return errors.New("broker gone")
	}
	rec := s.get("/api/v1/topics/docs.unique?from_beginning&key=com.example&partition=1&n=3")
	if want := (records.Options{FromBeginning: true, Key: "com.example", Partition: 1, N: 3}); !reflect.DeepEqual(asked, want) {
		t.Errorf("asked for %+v", asked)
	}
	var lines []string
	for sc := bufio.NewScanner(rec.Body); sc.Scan(); {
		if !json.Valid(sc.Bytes()) {
			t.Errorf("no JSON: %s", sc.Text())
		}
		lines = append(lines, sc.Text())
	}
	if len(lines) != 4 || !strings.HasPrefix(lines[3], `{"error":`) || strings.Contains(lines[3], "broker") {
		t.Errorf("lines: %q", lines)
	}
	if rec := s.get("/api/v1/topics/no.such"); rec.Code != http.StatusNotFound || !strings.Contains(rec.Body.String(), "docs.unique") {
		t.Errorf("a topic that is none: %d %s", rec.Code, rec.Body)
	}
}

func TestTopicsNameWritersAndReaders(t *testing.T) {
	var got struct{ Topics []apiTopic }
	if err := json.Unmarshal(newSite(t).get("/api/v1/topics").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Topics) != len(topics.All()) {
		t.Fatalf("%d topics", len(got.Topics))
	}
	if first := got.Topics[0]; !slices.Equal(first.Readers, []string{"schedule"}) || !slices.Contains(first.Writers, "seeds") || !slices.Contains(first.Writers, "extract") {
		t.Errorf("%+v", first)
	}
}

func TestDeadLetters(t *testing.T) {
	s := newSite(t)
	var back []int64
	s.d.DeadLetters = func(_ context.Context, limit int) ([]deadletters.Letter, error) {
		return slices.Repeat([]deadletters.Letter{{Offset: 7, Kind: "decode", Error: hostile}}, min(limit, 3)), nil
	}
	s.d.PutBack = func(_ context.Context, offsets []int64) (int, error) { back = offsets; return len(offsets), nil }
	s.src.DeadLetters = func(context.Context) (int64, error) { return 3, nil }
	var got struct{ Letters []deadletters.Letter }
	if err := json.Unmarshal(s.get("/api/v1/dead-letters?limit=2").Body.Bytes(), &got); err != nil || len(got.Letters) != 2 || got.Letters[0].Error != hostile {
		t.Errorf("letters: %+v, %v", got, err)
	}
	if rec := s.post("/api/v1/dead-letters", `{"offsets":[7,9]}`); strings.TrimSpace(rec.Body.String()) != `{"put_back":2}` || !slices.Equal(back, []int64{7, 9}) {
		t.Errorf("put back %v: %s", back, rec.Body)
	}
	for _, body := range []string{`{}`, `{"offsets":[1],"all":true}`} {
		if rec := s.post("/api/v1/dead-letters", body); rec.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", body, rec.Code)
		}
	}
	if shown := s.page("/dashboard", 200).one(t, "table", "letters"); strings.Count(shown, hostile) != 3 {
		t.Errorf("dashboard: %s", shown)
	}
}

func TestHealthAndReadiness(t *testing.T) {
	s := newSite(t)
	var sick error
	s.d.Ready, s.d.Healthy = func() error { return sick }, func(context.Context) error { return sick }
	for _, path := range []string{"/healthz", "/readyz"} {
		sick = nil
		if rec := s.get(path); rec.Code != 200 {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
		sick = errors.New("index: partition 3 is behind")
		if rec := s.get(path); rec.Code != 503 || !strings.Contains(rec.Body.String(), "partition 3 is behind") {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
	}
}

func TestMetricsCountRequests(t *testing.T) {
	s := newSite(t)
	s.get("/api/v1/search?q=a")
	s.get("/api/v1/search")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(s.get("/metrics").Body)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]float64{}
	for _, m := range families["millrace_http_requests_total"].GetMetric() {
		seen[m.Label[1].GetValue()+" "+m.Label[0].GetValue()] = m.Counter.GetValue()
	}
	if seen["GET /api/v1/search 200"] != 1 || seen["GET /api/v1/search 400"] != 1 {
		t.Errorf("requests: %v", seen)
	}
}

func TestOpenSearchNamesThisServer(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/opensearch.xml", nil)
	r.Host = `search.test:8080"><x`
	r.Header.Set("Authorization", "Bearer "+token)
	rec := newSite(t).do(r)
	var d description
	if err := xml.Unmarshal(rec.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if want := "http://" + r.Host + "/?q={searchTerms}"; len(d.URLs) != 3 || d.URLs[0].Template != want || len(d.Short) > 16 {
		t.Errorf("%+v, want %s", d, want)
	}
}

// A server that is told to stop lets an answer under way finish.
func TestStopFinishesWhatIsUnderWay(t *testing.T) {
	s := newSite(t)
	inside, leave := make(chan struct{}), make(chan struct{})
	s.d.Search = func(context.Context, Question) (Results, error) {
		close(inside)
		<-leave
		return Results{Total: 1}, nil
	}
	srv := s.running()
	ctx, cancel := context.WithCancel(t.Context())
	ended, answered := make(chan error, 1), make(chan string, 1)
	go func() { ended <- srv.Run(ctx) }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	go func() {
		resp, err := client.Get("http://" + srv.Addr() + "/api/v1/search?q=a")
		if err != nil {
			answered <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		answered <- string(body) + errorText(err)
	}()
	<-inside
	cancel()
	close(leave)
	if got := <-answered; !strings.HasPrefix(got, `{"total":1,`) {
		t.Errorf("answer: %s", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for name, spoil := range map[string]func(*site){
		"a short token": func(s *site) { s.d.Token = "short" },
		"no logger":     func(s *site) { s.d.Logger = nil },
		"no address":    func(s *site) { s.o.Listen = "nowhere" },
		"no bound":      func(s *site) { s.o.MaxSearches = 0 },
		"no timeout":    func(s *site) { s.o.WriteTimeout = 0 },
	} {
		s := newSite(t)
		spoil(s)
		w, err := watch.New(watch.DefaultOptions(), s.src)
		if err != nil {
			t.Fatal(err)
		}
		s.d.Watch = w
		if srv, err := New(s.o, s.d); err == nil {
			t.Errorf("%s was taken", name)
			_ = srv.Close()
		}
	}
}
