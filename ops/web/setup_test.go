package web

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/net/html"

	"millrace/ops/watch"
	"millrace/streams"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "0123456789abcdef0123456789abcdef"

// quiet is a pipeline where everything is done.
func quiet(context.Context) streams.Lag {
	l := streams.Lag{At: time.Now()}
	for _, g := range topics.Groups() {
		l.Groups = append(l.Groups, streams.GroupLag{
			Group: g.Name, Topic: g.Reads, Partitions: []streams.PartitionLag{{Committed: 5, End: 5}},
		})
	}
	return l
}

// site is a server under test; change d before the first request.
type site struct {
	t   testing.TB
	d   Deps
	src watch.Sources
	o   Options
	srv *Server
	log bytes.Buffer
}

func newSite(t testing.TB) *site {
	s := &site{t: t, o: DefaultOptions(), src: watch.Sources{
		Lag:   quiet,
		Index: func() []watch.Shard { return []watch.Shard{{Docs: 1200}} },
	}}
	s.o.Listen, s.o.Names = "127.0.0.1:0", []string{"example.com"} // as httptest names it
	s.d = Deps{Token: token, Logger: slog.New(slog.NewTextHandler(&s.log, nil)), Search: func(context.Context, Question) (Results, error) {
		return Results{}, nil
	}}
	return s
}

func (s *site) server() *Server {
	s.t.Helper()
	if s.srv == nil {
		s.srv = s.running()
		s.t.Cleanup(func() {
			if err := s.srv.Close(); err != nil {
				s.t.Error(err)
			}
		})
	}
	return s.srv
}

// running is a server for a test that calls Run, which closes it.
func (s *site) running() *Server {
	s.t.Helper()
	w, err := watch.New(watch.DefaultOptions(), s.src)
	if err != nil {
		s.t.Fatal(err)
	}
	s.d.Watch = w
	srv, err := New(s.o, s.d)
	if err != nil {
		s.t.Fatal(err)
	}
	return srv
}

func (s *site) do(r *http.Request) *httptest.ResponseRecorder {
	s.t.Helper()
	rec := httptest.NewRecorder()
	s.server().ServeHTTP(rec, r)
	return rec
}

func (s *site) get(path string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.do(httptest.NewRequest(http.MethodGet, path, nil))
}

// post sends JSON with the token.
func (s *site) post(path, body string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.do(postRequest(path, body))
}

func postRequest(path, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// page is an answer as a browser takes it.
type page struct{ root *html.Node }

func (s *site) page(path string, status int) page {
	s.t.Helper()
	rec := s.get(path)
	if rec.Code != status {
		s.t.Fatalf("%s: status %d, want %d\n%s", path, rec.Code, status, rec.Body)
	}
	root, err := html.Parse(rec.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return page{root}
}

// all returns the elements with a tag name and, if not empty, a class.
func (p page) all(tag, class string) []*html.Node {
	var out []*html.Node
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && n.Data == tag && (class == "" || strings.Contains(" "+attr(n, "class")+" ", " "+class+" ")) {
			out = append(out, n)
		}
	}
	return out
}

// one returns the text of the only such element.
func (p page) one(t testing.TB, tag, class string) string {
	t.Helper()
	found := p.all(tag, class)
	if len(found) != 1 {
		t.Fatalf("%d elements %s.%s, want one", len(found), tag, class)
	}
	return textOf(found[0])
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// textOf returns the text of an element, with single spaces.
func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
