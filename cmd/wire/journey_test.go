package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"

	"millrace/ops/cluster/clustertest"
	"millrace/producers/seeds"
	"millrace/streams"
	"millrace/topics"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// gocql sleeps out its reconnection pause after Close.
		goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*Session).handleNodeUp"))
}

const (
	home  = "http://www.a.test/"
	story = "http://www.a.test/story"
	twin  = "http://www.a.test/story?print=1"
	text  = "The mill race carries the water from the weir to the wheel, and the miller keeps it clear of weed. "
)

// origin is a web site of three pages; a test takes one away and gives it back.
type origin struct {
	*httptest.Server
	mu   sync.Mutex
	gone map[string]bool
}

func newOrigin(t *testing.T) *origin {
	o := &origin{gone: map[string]bool{}}
	o.Server = httptest.NewServer(http.HandlerFunc(o.serve))
	t.Cleanup(o.Close)
	return o
}

func (o *origin) serve(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	page := ""
	switch url := "http://" + r.Host + r.URL.RequestURI(); {
	case r.Host != "www.a.test" || o.gone[url]:
	case url == home:
		page = `<title>Home</title><p>` + strings.Repeat("A page that leads to the others. ", 8) + `<a href="/story">the story</a> <a href="/story?print=1">for print</a>`
	case url == story || url == twin:
		page = `<html lang=en><title>The mill race</title><article><p>` + strings.Repeat(text, 3) + `</article>`
	}
	if page == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("ETag", `"v1"`)
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(page))
}

func (o *origin) set(url string, gone bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gone[url] = gone
}

// world is a running system.
type world struct {
	t *testing.T
	*System
}

func start(t *testing.T, cfg Config, o *origin) *world {
	t.Helper()
	cfg.Data, cfg.Delay, cfg.AllowPrivate = t.TempDir(), 0, true
	cfg.Resolve = []string{"*.test=" + o.Listener.Addr().(*net.TCPAddr).String()}
	s, err := Open(t.Context(), cfg, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, topics.GroupNames()...) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return &world{t, s}
}

func (w *world) seed(url string) {
	w.t.Helper()
	seed, err := seeds.Parse(w.Canon, url)
	if err == nil {
		err = w.Seed(w.t.Context(), []seeds.Seed{seed})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.idle()
}

func (w *world) recheck(url string) {
	w.t.Helper()
	if err := w.Recheck(w.t.Context(), []string{url}, false); err != nil {
		w.t.Fatal(err)
	}
	w.idle()
}

func (w *world) idle() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	defer cancel()
	if err := w.Idle(ctx); err != nil {
		w.t.Fatalf("never idle: %v: %+v: %+v", err, w.Status(), w.Reader.Lag(context.Background()))
	}
}

// found is what a search for a phrase of the story answers.
func (w *world) found() string {
	w.t.Helper()
	r, err := w.Search(w.t.Context(), `"keeps it clear of weed"`, 0, 10)
	if err != nil {
		w.t.Fatal(err)
	}
	var urls []string
	for _, h := range r.Hits {
		urls = append(urls, h.URL)
	}
	return strings.Join(urls, " ")
}

func (w *world) wantFound(what, url string) {
	w.t.Helper()
	if got := w.found(); got != url {
		w.t.Errorf("%s: found %q, want %q", what, got, url)
	}
}

// TestAURLTravelsFromSeedToSearchAndBack is the story of this program: follow it
// with the golden files beside it.
func TestAURLTravelsFromSeedToSearchAndBack(t *testing.T) {
	t.Run("embedded", func(t *testing.T) { journey(t, DefaultConfig()) })
	t.Run("cluster", func(t *testing.T) {
		cfg := DefaultConfig()
		cfg.Brokers = clustertest.KafkaAlone(t)
		cfg.Store = "cql://" + strings.Join(clustertest.CQL(t), ",") + "/" + clustertest.Name(t)
		cfg.Partitions, cfg.Replicas = 4, 1
		clearTopics(t, cfg)
		if err := Provision(t.Context(), cfg, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		journey(t, cfg)
	})
}

func journey(t *testing.T, cfg Config) {
	o := newOrigin(t)
	w := start(t, cfg, o)
	w.seed(home)
	for _, about := range []func(*world) string{
		tell(topics.Discovered()), tell(topics.Scheduled()), tell(topics.Pages()), tell(topics.Extracted()), tell(topics.Unique()),
	} {
		golden(t, about(w))
	}
	w.wantFound("after the crawl", story)

	o.set(story, true)
	w.recheck(story)
	w.wantFound("the page is gone, its twin takes over", twin)

	o.set(story, false)
	w.recheck(story)
	w.wantFound("the page is back, with the same ETag", story)
}

// tell reads a topic and returns the records about the story, without what
// differs from run to run.
func tell[M topics.Message](topic topics.Topic[M]) func(*world) string {
	return func(w *world) string {
		about := map[string]bool{}
		n, err := w.Reader.Partitions(w.t.Context(), topic.Name)
		for p := int32(0); err == nil && p < n; p++ {
			var end int64
			if end, err = w.Reader.End(w.t.Context(), topic.Name, p); err == nil {
				err = streams.Read(w.t.Context(), w.Reader, topic, p, 0, end, func(r *streams.Record[M]) error {
					return note(about, r)
				})
			}
		}
		if err != nil {
			w.t.Fatal(err)
		}
		return "# " + topic.Name + "\n\n" + strings.Join(slices.Sorted(maps.Keys(about)), "\n")
	}
}

// note adds a record, if it is about the story. Records of one topic come in an
// order that depends on who was quicker, so they are a set.
func note[M topics.Message](about map[string]bool, r *streams.Record[M]) error {
	if r.Tombstone {
		return nil
	}
	scrub(r.Value.ProtoReflect())
	raw, err := protojson.Marshal(r.Value)
	if err != nil || !bytes.Contains(raw, []byte(`http/story"`)) {
		return err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		return err
	}
	about[fmt.Sprintf("key %s, type %s\n%s\n", r.Key, r.Header("ce_type"), &indented)] = true
	return nil
}

// scrub takes out times, versions and addresses.
func scrub(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		name := string(f.Name())
		switch {
		case strings.HasSuffix(name, "_at") || strings.HasSuffix(name, "_ms") || name == "rev" || name == "source_rev" ||
			name == "published_at_log" || name == "ip" || name == "headers" || name == "until" || name == "not_after" || name == "body":
			m.Clear(f)
		case f.Message() != nil && !f.IsList() && !f.IsMap():
			scrub(v.Message())
		}
		return true
	})
}

// golden compares a text with its file; the first line names it.
func golden(t *testing.T, got string) {
	t.Helper()
	name, _, _ := strings.Cut(strings.TrimPrefix(got, "# "), "\n")
	path := filepath.Join("testdata", "journey", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from its golden file:\n%s", name, got)
	}
}
