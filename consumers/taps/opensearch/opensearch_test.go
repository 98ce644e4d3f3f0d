package opensearch

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"millrace/consumers/taps/opensearch/opensearchtest"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// options are those of a server in process, and of a real one if the environment names it.
func servers(t *testing.T) map[string]Options {
	t.Helper()
	fake := httptest.NewServer(opensearchtest.New())
	t.Cleanup(fake.Close)
	out := map[string]Options{}
	real := os.Getenv("MILLRACE_TEST_OPENSEARCH")
	if real == "" && os.Getenv("MILLRACE_REQUIRE_CLUSTER") == "1" {
		t.Fatal("set MILLRACE_TEST_OPENSEARCH to http://host:port (go run ./ops/cluster/cmd up --search 1)")
	}
	for name, url := range map[string]string{"in process": fake.URL, "real": real} {
		if url == "" {
			continue
		}
		o := DefaultOptions()
		o.URL, o.Index, o.Bulk = url, fmt.Sprintf("millrace-test-%d", rand.Uint32()), 2000
		o.Client = &http.Client{Transport: &observed{written: make(chan struct{}, 1)}}
		t.Cleanup(o.Client.CloseIdleConnections)
		out[name] = o
	}
	return out
}

// TestTheIndexIsTheFoldOfTheTopic: members come and go while documents are published, published
// again and deleted; one document is refused. At the end the index has what the topic says.
func TestTheIndexIsTheFoldOfTheTopic(t *testing.T) {
	for name, o := range servers(t) {
		t.Run(name, func(t *testing.T) { checkFold(t, o) })
	}
}

func checkFold(t *testing.T, o Options) {
	kafka := streamstest.Options(t)
	want := map[string]int64{}
	random := rand.New(rand.NewPCG(3, 4))
	stop := member(t, o, kafka)
	for round := range 3 {
		publish(t, kafka, random, want, 40)
		if round < 2 { // the next member goes on
			stop()
			stop = member(t, o, kafka)
		}
	}
	refuse(t, kafka)
	untilEqual(t, o, want)
	streamstest.Tail(t, kafka, topics.DeadLetters().Name, func(r *kgo.Record) bool { return string(r.Key) == "test.a:https/refused" })
	stop()
	// All of it again, as a group that lost its progress: nothing changes.
	c := newClient(o)
	for p := range int32(4) {
		if err := c.save(t.Context(), p, progress{}); err != nil {
			t.Fatal(err)
		}
	}
	stop = member(t, o, kafka)
	publish(t, kafka, random, want, 1)
	untilEqual(t, o, want)
	stop()
}

// untilEqual waits until the index has what the topic says: it looks after every bulk request that
// was answered.
func untilEqual(t *testing.T, o Options, want map[string]int64) {
	t.Helper()
	written := o.Client.Transport.(*observed).written
	late := time.After(time.Minute)
	for {
		got := documents(t, o)
		if equal(got, want) {
			return
		}
		select {
		case <-written:
		case <-late:
			t.Fatalf("index %v\ntopic %v", got, want)
		}
	}
}

// observed is a transport that tells when a bulk request was answered.
type observed struct {
	http.Transport
	written chan struct{} // has an element if one was answered since it was last read
}

func (o *observed) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := o.Transport.RoundTrip(r)
	if path.Base(r.URL.Path) == "_bulk" {
		select {
		case o.written <- struct{}{}:
		default:
		}
	}
	return resp, err
}

func equal(a, b map[string]int64) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range b {
		if a[k] != v {
			return false
		}
	}
	return true
}

// member runs a member of the group until it is stopped.
func member(t *testing.T, o Options, kafka streams.Options) (stop func()) {
	t.Helper()
	tap, err := New(t.Context(), o, slog.New(slog.DiscardHandler), streams.NewMeter())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- tap.Run(ctx, streamstest.Config(kafka)) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// publish appends n documents and deletions of 15 keys, and keeps the fold. Revs do not rise.
func publish(t *testing.T, kafka streams.Options, random *rand.Rand, want map[string]int64, n int) {
	t.Helper()
	var r streamstest.Recorder
	e := streams.NewEmitter(r.Partition(0, 4), "dedupe", topics.Unique())
	for range n {
		i := random.IntN(15)
		key := fmt.Sprintf("test.a:https/%d", i)
		if i == 3 {
			key += strings.Repeat("x", 600)
		}
		if random.IntN(3) == 0 {
			e.Tombstone(int32(i%4), key, key)
			delete(want, idOf(key))
			continue
		}
		rev := int64(random.IntN(1000)) + 1
		e.SendTo(int32(i%4), &schema.Unique{Doc: &schema.Doc{RowKey: key, Rev: rev, Title: "T", Text: "some text", FetchedAt: 1_700_000_000_000}})
		want[idOf(key)] = rev
	}
	if err := streamstest.Append(t.Context(), kafka, r.Take()); err != nil {
		t.Fatal(err)
	}
}

// refuse publishes a document that no OpenSearch takes: its score is no number.
func refuse(t *testing.T, kafka streams.Options) {
	t.Helper()
	var r streamstest.Recorder
	e := streams.NewEmitter(r.Partition(0, 4), "dedupe", topics.Unique())
	e.SendTo(0, &schema.Unique{Doc: &schema.Doc{RowKey: "test.a:https/refused", Rev: 1, Score: math.NaN()}})
	if err := streamstest.Append(t.Context(), kafka, r.Take()); err != nil {
		t.Fatal(err)
	}
}

// documents are the revs of the index's documents, by id.
func documents(t *testing.T, o Options) map[string]int64 {
	t.Helper()
	c := newClient(o)
	_ = c.ask(t.Context(), http.MethodPost, "/"+o.Index+"/_refresh", "", nil, nil)
	var answer struct {
		Hits struct {
			Hits []struct {
				ID     string `json:"_id"`
				Source struct {
					Rev json.Number `json:"rev"`
				} `json:"_source"`
			} `json:"hits"`
		} `json:"hits"`
	}
	err := c.ask(t.Context(), http.MethodGet, "/"+o.Index+"/_search?size=1000", "", nil, &answer)
	if err != nil && status(err) != http.StatusNotFound { // an index that is not there has none
		t.Fatal(err)
	}
	out := map[string]int64{}
	for _, h := range answer.Hits.Hits {
		out[h.ID], _ = h.Source.Rev.Int64()
	}
	return out
}

func TestAWrongAddressOrNameIsRefused(t *testing.T) {
	for _, url := range []string{"", "localhost:9200", "http://u:secret@h:1", "ftp://u:secret@h", "http://u:se%cret@h:1", "http://u:secret@", "ftp://h", "http://h:1/?x=1"} {
		o := DefaultOptions()
		o.URL = url
		if err := o.Validate(); err == nil || strings.Contains(err.Error(), "cret") {
			t.Errorf("%q: %v", url, err) // taken, or repeated with its secret
		}
	}
	for _, index := range []string{"", "Big", "a b", "_x", "a/b"} {
		o := DefaultOptions()
		if o.URL, o.Index = "http://h:1", index; o.Validate() == nil {
			t.Errorf("index %q was taken", index)
		}
	}
}

// A server that redirects takes nothing: what would be written would become a question, whose
// answer is no success.
func TestAServerThatRedirectsIsNamed(t *testing.T) {
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	defer back.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, strings.Replace(back.URL, "//", "//u:secret@", 1)+r.URL.Path, code)
		}))
		o := DefaultOptions()
		o.URL = front.URL
		c := newClient(o)
		for what, err := range map[string]error{"prepare": c.prepare(t.Context()), "save": c.save(t.Context(), 0, progress{})} {
			if err == nil || !strings.Contains(err.Error(), "name the server itself with --to") || !strings.Contains(err.Error(), back.URL) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%d, %s: %v", code, what, err)
			}
		}
		front.Close()
		c.http.CloseIdleConnections()
	}
}

// FuzzAnswer: whatever a server answers to a bulk request, it ends, and each operation is done,
// sent again or refused.
func FuzzAnswer(f *testing.F) {
	f.Add(200, []byte(`{"items":[{"index":{"status":201}},{"delete":{"status":429}}]}`))
	f.Add(413, []byte(`no`))
	f.Add(200, []byte(`{"items":[{"index":{"status":400,"error":{"type":"x"}}},{}]}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			return
		}
		c := newClient(Options{URL: "http://h", Client: &http.Client{Transport: answer{status, body}}})
		out := c.bulk(t.Context(), []op{{lines: []byte("a\n")}, {lines: []byte("b\n"), which: 1}})
		if len(out.again)+len(out.refused) > 2 || out.err == nil && len(out.again) > 0 {
			t.Errorf("%+v", out)
		}
	})
}

type answer struct {
	status int
	body   []byte
}

func (a answer) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Body: io.NopCloser(strings.NewReader(string(a.body))), Request: r, Header: http.Header{}}, nil
}

// A partition that was cut, and grew past the offset that was saved, is noticed: it is read from
// its beginning, as a new era, so that nothing of the new end is left out.
func TestALogThatWasCutAndGrewIsReadAgain(t *testing.T) {
	kafka := streamstest.Options(t)
	log, err := streams.NewLog(kafka)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	o := servers(t)["in process"]
	tap, err := New(t.Context(), o, slog.New(slog.DiscardHandler), streams.NewMeter())
	if err != nil {
		t.Fatal(err)
	}
	publish(t, kafka, rand.New(rand.NewPCG(1, 2)), map[string]int64{}, 40)
	recover := func(last *lastRecord) (int64, int64) {
		t.Helper()
		id, err := log.TopicID(t.Context(), topics.Unique().Name)
		if err == nil {
			err = tap.client.save(t.Context(), 0, progress{TopicID: id, Era: 1, Next: 3, Last: last})
		}
		if err != nil {
			t.Fatal(err)
		}
		rec := streamstest.Recorder{Reader: log}
		next, err := tap.Task(rec.Partition(0, 4)).Recover(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		at, err := tap.client.load(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		return next, at.Era
	}
	var third streams.Raw
	if err := log.Scan(t.Context(), topics.Unique().Name, 0, 2, 3, func(r streams.Raw) error { third = r; return nil }); err != nil || third.Key == "" {
		t.Fatalf("no third record: %v", err)
	}
	if next, era := recover(&lastRecord{2, third.Key, third.Time.UnixMilli()}); next != 3 || era != 1 {
		t.Errorf("the same log goes on at %d in era %d", next, era)
	}
	if next, era := recover(&lastRecord{2, third.Key, third.Time.UnixMilli() - 1000}); next != 0 || era != 2 {
		t.Errorf("another log goes on at %d in era %d", next, era)
	}
}

// A record that cannot be decoded, at the end of a partition, is a dead letter once: the progress
// that is noted goes past it.
func TestADeadLetterAtTheEndIsPassed(t *testing.T) {
	kafka := streamstest.Options(t)
	log, err := streams.NewLog(kafka)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	o := servers(t)["in process"]
	want := map[string]int64{}
	random := rand.New(rand.NewPCG(1, 2))
	publish(t, kafka, random, want, 40)
	bad := streams.Send{Topic: topics.Unique().Name, Partition: 2, Key: "test.a:https/bad", Value: []byte("\xff\xff no message")}
	if err := streamstest.Append(t.Context(), kafka, []streams.Send{bad}); err != nil {
		t.Fatal(err)
	}
	ends, err := log.Ends(t.Context(), topics.Unique().Name)
	if err != nil {
		t.Fatal(err)
	}
	stop := member(t, o, kafka)
	streamstest.Tail(t, kafka, topics.DeadLetters().Name, func(r *kgo.Record) bool { return string(r.Key) == bad.Key })
	untilEqual(t, o, want)
	stop()
	if at, err := newClient(o).load(t.Context(), 2); err != nil || at.Next != ends[2] {
		t.Errorf("progress %+v of %d: %v", at, ends[2], err)
	}
	stop = member(t, o, kafka)
	publish(t, kafka, random, want, 60)
	untilEqual(t, o, want)
	stop()
	if ends, err := log.Ends(t.Context(), topics.DeadLetters().Name); err != nil || ends[0] != 1 {
		t.Errorf("%d dead letters of one record: %v", ends[0], err)
	}
}
