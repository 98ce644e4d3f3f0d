package remote

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"millrace/consumers/index"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
	"millrace/schema"
)

// partitions is how many parts the index of these tests has.
const partitions = 4

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// process opens an index with the given partitions, each filled with its first n pages.
func process(t testing.TB, pages map[int32]int) *index.Shards {
	t.Helper()
	o := index.DefaultOptions()
	o.Dir = t.TempDir()
	s, err := index.New(o, index.Deps{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for p, n := range pages {
		if _, err := s.Assign(p); err != nil {
			t.Fatal(err)
		}
		if err := s.Apply(t.Context(), p, batch(p, n)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func batch(p int32, n int) index.Batch {
	b := index.Batch{Next: int64(n)}
	for i := range n {
		key := fmt.Sprintf("com.example:https/%d/%d", p, i)
		text := strings.Repeat("water ", i+1) + strings.Repeat("mill ", int(p)) + fmt.Sprintf("over the race number %d", i)
		page := rank.Page{URL: "https://" + key, Title: fmt.Sprintf("Page %d of part %d", i, p), Text: text, Lang: "en", Date: int64(i*partitions+int(p)) * 86400000}
		b.Changes = append(b.Changes, shard.Change{Offset: int64(i), Key: key,
			Document: &shard.Document{Host: "example.com", Hash: shard.Digest(schema.RecordHash(key, []byte(text))), Shown: page}})
	}
	return b
}

// serve starts a process's handler.
func serve(t testing.TB, s *index.Shards, change func(*Options)) (*Handler, *Peer) {
	t.Helper()
	o := DefaultOptions()
	if change != nil {
		change(&o)
	}
	h, err := NewHandler(o, s)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(h)
	srv.TLS = identity(t, "secret").Server
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that are refused
	srv.StartTLS()
	t.Cleanup(func() { srv.Close(); h.Close() })
	return h, &Peer{URL: srv.URL, HTTP: client(t, identity(t, "secret").Client)}
}

func identity(t testing.TB, secret string) Identity {
	t.Helper()
	id, err := NewIdentity(secret)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// client is one that shows c, and ends with the test.
func client(t testing.TB, c *tls.Config) *http.Client {
	h := &http.Client{Transport: &http.Transport{TLSClientConfig: c}}
	t.Cleanup(h.CloseIdleConnections)
	return h
}

func ask(t *testing.T, source search.Source, query string) *search.Result {
	t.Helper()
	s, err := search.New(search.DefaultOptions(), source)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Search(t.Context(), search.Request{Query: query, Size: 20})
	if err != nil {
		t.Fatal(err)
	}
	r.TookMS = 0
	return r
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func joined(s *index.Shards, peers ...*Peer) *Source {
	return &Source{Local: s, Peers: func() []*Peer { return peers }, Logger: slog.New(slog.DiscardHandler)}
}

// A search over three processes finds what one process with everything finds, score by score.
func TestSearchOverProcessesEqualsSearchInOne(t *testing.T) {
	whole := process(t, map[int32]int{0: 9, 1: 7, 2: 8, 3: 6})
	here := process(t, map[int32]int{0: 9, 3: 2}) // 3 moved away: its owner has more
	h1, one := serve(t, process(t, map[int32]int{1: 7, 3: 6}), nil)
	h2, two := serve(t, process(t, map[int32]int{2: 8}), nil)
	source := joined(here, one, two)
	for _, q := range []string{"water", "mill race", `"water mill"`, "number OR mill -water", "site:example.com", "intitle:part 3", "absent water"} {
		want, got := asJSON(t, ask(t, whole, q)), asJSON(t, ask(t, source, q))
		if got != want {
			t.Fatalf("%s over processes:\n%s\nin one:\n%s", q, got, want)
		}
	}
	if n := len(h1.views) + len(h2.views); n != 0 {
		t.Fatalf("%d views are still open", n)
	}
}

// A page is found by its key, whichever process has it. Whether there is none is not known while
// one of them does not answer.
func TestAPageIsFoundByItsKeyInAnyProcess(t *testing.T) {
	here := process(t, map[int32]int{1: 2, 3: 1})
	_, there := serve(t, process(t, map[int32]int{0: 3, 2: 4}), nil)
	_, wrong := serve(t, process(t, map[int32]int{0: 3, 2: 4}), nil)
	wrong.HTTP = client(t, identity(t, "guess").Client)
	lookup := func(peer *Peer, key string) (rank.Page, bool, error) {
		s, err := search.New(search.DefaultOptions(), joined(here, peer))
		if err != nil {
			t.Fatal(err)
		}
		return s.Lookup(t.Context(), key)
	}
	for key, title := range map[string]string{"com.example:https/1/0": "Page 0 of part 1", "com.example:https/2/3": "Page 3 of part 2"} {
		if p, ok, err := lookup(there, key); err != nil || !ok || p.Title != title || !strings.Contains(p.Text, "over the race") {
			t.Errorf("%s: %+v, %v, %v", key, p, ok, err)
		}
	}
	if _, ok, err := lookup(there, "com.example:https/9/9"); ok || err != nil {
		t.Errorf("a page that nobody has: %v, %v", ok, err)
	}
	if p, ok, err := lookup(wrong, "com.example:https/1/0"); err != nil || !ok || p.Title == "" {
		t.Errorf("a page of this process, while a peer does not answer: %v, %v", ok, err)
	}
	if _, ok, err := lookup(wrong, "com.example:https/2/3"); ok || !errors.Is(err, search.ErrPartial) {
		t.Errorf("a page of a peer that does not answer: %v, %v", ok, err)
	}
}

func TestPeerThatDoesNotAnswerIsAWarning(t *testing.T) {
	here := process(t, map[int32]int{0: 9, 3: 2})
	_, good := serve(t, process(t, map[int32]int{1: 5}), nil)
	_, wrong := serve(t, process(t, map[int32]int{2: 5}), nil)
	wrong.HTTP = client(t, identity(t, "guess").Client)
	r := ask(t, joined(here, good, wrong), "water")
	if r.Total != 16 || len(r.Warnings) != 1 || r.Warnings[0] != index.Missing(2).String() {
		t.Fatalf("%d found, warnings %q", r.Total, r.Warnings)
	}
}

func TestHandlerRefusesAndForgets(t *testing.T) {
	h, peer := serve(t, process(t, map[int32]int{1: 5}), func(o *Options) { o.MaxViews = 1 })
	shards, _, err := peer.view(t.Context())
	if err != nil || len(shards) != 1 {
		t.Fatal(shards, err)
	}
	if _, _, err := peer.view(t.Context()); err == nil {
		t.Fatal("a view too many was opened")
	}
	if _, err := shards[0].Page(t.Context(), rank.Ref{Segment: 7}); err == nil {
		t.Fatal("a page of no segment was read")
	}
	if _, err := (&distant{peer: peer, view: shards[0].view, part: part{Partition: 9}}).Page(t.Context(), rank.Ref{}); err == nil {
		t.Fatal("a partition that is not there answered")
	}
	h.Close()
	if _, err := shards[0].Page(t.Context(), rank.Ref{}); err == nil {
		t.Fatal("a view answered after its end")
	}
}

func TestViewEndsByItself(t *testing.T) {
	h, err := NewHandler(DefaultOptions(), process(t, map[int32]int{1: 5}))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	open := func() int {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.views)
	}
	synctest.Test(t, func(t *testing.T) {
		h.open(httptest.NewRecorder(), nil)
		time.Sleep(h.opts.Keep - time.Millisecond)
		synctest.Wait()
		if n := open(); n != 1 {
			t.Fatalf("%d views are open before their end", n)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if n := open(); n != 0 {
			t.Fatal("the view is still open")
		}
	})
}
