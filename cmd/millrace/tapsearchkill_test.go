package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"millrace/consumers/taps/opensearch/opensearchtest"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// A process of the tap into OpenSearch is ended with SIGKILL before a request is done and after it,
// before its answer: requests with documents and those that note how far it is. Started again each
// time, while documents come, change and go, it catches up, and the index is the fold of
// docs.unique. Against a real OpenSearch too, if the environment names one.
func TestAnOpenSearchTapThatIsKilledCatchesUp(t *testing.T) {
	backs := map[string]http.Handler{"in process": opensearchtest.New()}
	if real := os.Getenv("MILLRACE_TEST_OPENSEARCH"); real != "" {
		to, err := url.Parse(real)
		if err != nil {
			t.Fatal(err)
		}
		backs["real"] = httputil.NewSingleHostReverseProxy(to)
	}
	for name, back := range backs {
		t.Run(name, func(t *testing.T) {
			front := &fatal{back: back, next: make(chan deadline, 1), hit: make(chan struct{})}
			server := httptest.NewServer(front)
			t.Cleanup(server.Close)
			index := fmt.Sprintf("killed-%d", rand.Uint32())
			opts := streamstest.Options(t)
			docs := &foldedDocs{t: t, opts: opts, want: map[string]string{}}
			docs.publish(300)
			args := []string{"consume", "opensearch", "--to", server.URL, "--index", index, "--member", "one",
				"--brokers", strings.Join(opts.Brokers, ","), "--log-level", "error"}
			for _, d := range []deadline{
				{"_bulk", 1, false}, {"_bulk", 1, true}, {"_bulk", 3, true}, {"_doc", 5, false}, {"_doc", 5, true}, {"_bulk", 2, true},
			} {
				front.next <- d
				cmd, _ := process(t, args...)
				becomes(t, fmt.Sprintf("the request of %+v", d), func() bool {
					select {
					case <-front.hit:
						return true
					default:
						return false
					}
				})
				if t.Failed() {
					t.FailNow()
				}
				if err := cmd.Process.Kill(); err != nil {
					t.Errorf("%+v: it had ended before it was killed: %v", d, err)
				}
				_ = cmd.Wait() // says that it was killed
				front.hit <- struct{}{}
				docs.publish(60)
			}
			cmd, out := process(t, args...)
			becomes(t, "the fold of docs.unique in the index", func() bool { return maps.Equal(docs.want, indexed(t, server.URL, index)) })
			becomes(t, "a lag of 0", func() bool { return docs.behind("tap-opensearch-"+index) == 0 })
			if t.Failed() {
				t.Logf("wanted %d documents, got %d\n%s", len(docs.want), len(indexed(t, server.URL, index)), out)
			}
			_ = cmd.Process.Signal(os.Interrupt)
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// deadline is a request at which the process is killed: the nth whose path has a part, before it is
// done or after.
type deadline struct {
	part  string
	nth   int
	after bool
}

// fatal is in front of an OpenSearch. When the request of the next deadline comes it says so on
// hit, and waits on it until the process is dead.
type fatal struct {
	back http.Handler
	next chan deadline
	hit  chan struct{}

	mu  sync.Mutex
	at  deadline
	set bool
}

// reached reports whether this request is the one.
func (f *fatal) reached(r *http.Request) (bool, deadline) {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case f.at = <-f.next:
		f.set = true
	default:
	}
	if !f.set || r.Method == http.MethodGet || !strings.Contains(r.URL.Path, f.at.part) {
		return false, f.at
	}
	f.at.nth--
	f.set = f.at.nth > 0
	return !f.set, f.at
}

// ServeHTTP implements http.Handler.
func (f *fatal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	reached, at := f.reached(r)
	if reached && at.after {
		f.back.ServeHTTP(httptest.NewRecorder(), r)
	}
	if reached {
		f.hit <- struct{}{}
		<-f.hit
		return
	}
	f.back.ServeHTTP(w, r)
}

// foldedDocs publishes documents and deletions on docs.unique, and knows its fold: titles by key.
type foldedDocs struct {
	t    *testing.T
	opts streams.Options
	want map[string]string
	n    int
}

// publish appends n records of 200 keys; every fifth is a deletion.
func (d *foldedDocs) publish(n int) {
	var r streamstest.Recorder
	e := streams.NewEmitter(r.Partition(0, 4), "dedupe", topics.Unique())
	for i := d.n; i < d.n+n; i++ {
		k := i * 7 % 200
		key := fmt.Sprintf("test.h:https/%d", k)
		if i%5 == 4 {
			e.Tombstone(int32(k%4), key, key)
			delete(d.want, key)
			continue
		}
		title := fmt.Sprint("version ", i)
		e.SendTo(int32(k%4), &schema.Unique{Doc: &schema.Doc{RowKey: key, Url: "https://h.test/", Title: title, Text: strings.Repeat("words ", 50)}})
		d.want[key] = title
	}
	d.n += n
	if err := streamstest.Append(d.t.Context(), d.opts, r.Take()); err != nil {
		d.t.Fatal(err)
	}
}

// behind is the lag of a group in records; -1 if it is not known.
func (d *foldedDocs) behind(group string) int64 {
	log, err := streams.NewLog(d.opts)
	if err != nil {
		d.t.Fatal(err)
	}
	defer log.Close()
	lag := log.LagOf(d.t.Context(), topics.Group{Name: group, Reads: topics.Unique().Name})
	if len(lag.Errors) > 0 || len(lag.Groups) != 1 || len(lag.Groups[0].Partitions) != 4 {
		return -1
	}
	if slices.ContainsFunc(lag.Groups[0].Partitions, func(p streams.PartitionLag) bool { return p.Committed < p.End }) {
		return -1
	}
	return lag.Groups[0].Records
}

// indexed are the titles in an index of OpenSearch, by id.
func indexed(t *testing.T, server, index string) map[string]string {
	ask := func(method, what string, into any) {
		req, err := http.NewRequestWithContext(t.Context(), method, server+"/"+path.Join(index, what), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if into != nil {
			err = json.NewDecoder(resp.Body).Decode(into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var answer struct {
		Hits struct {
			Hits []struct {
				ID     string `json:"_id"`
				Source struct {
					Title string `json:"title"`
				} `json:"_source"`
			} `json:"hits"`
		} `json:"hits"`
	}
	ask(http.MethodPost, "_refresh", nil)
	ask(http.MethodGet, "_search?size=1000", &answer)
	out := map[string]string{}
	for _, h := range answer.Hits.Hits {
		out[h.ID] = h.Source.Title
	}
	return out
}
