package index

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a broker, the documents on docs.unique, and the directory of an index.
type world struct {
	t     *testing.T
	kafka streams.Options
	opts  Options
	deps  Deps
	cl    *kgo.Client

	mu   sync.Mutex
	fold []map[string]shard.Digest // by partition
	ends []int64
}

const partitions = 4

func newWorld(t *testing.T) *world {
	w := &world{t: t, kafka: streamstest.Options(t), fold: make([]map[string]shard.Digest, partitions), ends: make([]int64, partitions)}
	for p := range w.fold {
		w.fold[p] = map[string]shard.Digest{}
	}
	var err error
	w.cl, err = kgo.NewClient(kgo.SeedBrokers(w.kafka.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.cl.Close)
	w.opts = DefaultOptions()
	w.opts.Dir = t.TempDir()
	w.opts.Pause = 0
	w.deps.Logger = slog.New(slog.DiscardHandler)
	return w
}

// put publishes a document.
func (w *world) put(key, title, text string) {
	d := &schema.Doc{RowKey: key, Url: "https://" + key, Host: "www.example.com", Site: "example.com", Title: title, Text: text, Lang: "en", FetchedAt: 1}
	w.append(key, streams.Encode(&schema.Unique{Doc: d}))
}

// remove publishes a deletion.
func (w *world) remove(key string) { w.append(key, nil) }

func (w *world) append(key string, value []byte) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	p := topics.Partition(key, partitions)
	r := &kgo.Record{Topic: topics.Unique().Name, Partition: p, Key: []byte(key), Value: value}
	if err := w.cl.ProduceSync(w.t.Context(), r).FirstErr(); err != nil {
		w.t.Fatal(err)
	}
	w.ends[p] = r.Offset + 1
	delete(w.fold[p], key)
	if value != nil {
		w.fold[p][key] = shard.Digest(schema.RecordHash(key, value))
	}
}

// proof says what the fold is, as dedupe would.
func (w *world) proof(_ context.Context, p int32) (Proof, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var digest shard.Digest
	for _, d := range w.fold[p] {
		digest ^= d
	}
	return Proof{Offset: w.ends[p], Digest: uint64(digest), Documents: int64(len(w.fold[p]))}, true, nil
}

// open opens the index.
func (w *world) open() *Shards {
	w.t.Helper()
	s, err := New(w.opts, w.deps)
	if err == nil {
		err = s.Open()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { s.Close() })
	return s
}

// run is a member of the group until stop is called.
func (w *world) run(s *Shards) (stop func()) {
	g, err := topics.GroupNamed("index")
	if err != nil {
		w.t.Fatal(err)
	}
	return streamstest.Start(w.t, streamstest.Config(w.kafka), g, topics.Unique(), s.Task)
}

// caughtUp waits until every shard is at the end of its partition.
func (w *world) caughtUp(s *Shards) {
	w.t.Helper()
	late := time.After(time.Minute)
	for {
		moved := s.Moved()
		behind := 0
		at := map[int32]int64{}
		for _, st := range s.Status() {
			at[st.Partition] = st.Offset
		}
		for p, end := range w.ends {
			if at[int32(p)] < end {
				behind++
			}
		}
		if behind == 0 {
			return
		}
		select {
		case <-moved:
		case <-late:
			w.t.Fatalf("offsets %v, ends %v", at, w.ends)
		}
	}
}

// isFold fails unless the index is the fold.
func (w *world) isFold(s *Shards) {
	w.t.Helper()
	for _, st := range s.Status() {
		p, _, _ := w.proof(w.t.Context(), st.Partition)
		if st.Offset != p.Offset || st.Docs != p.Documents || st.Digest != shard.Digest(p.Digest).String() {
			w.t.Fatalf("shard %+v; the fold has %d documents and digest %s at %d", st, p.Documents, shard.Digest(p.Digest), p.Offset)
		}
	}
}

// found searches and lists the titles, best first.
func found(t *testing.T, s *Shards, query string) []string {
	t.Helper()
	searcher, err := search.New(search.DefaultOptions(), s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := searcher.Search(t.Context(), search.Request{Query: query, Size: 100})
	if err != nil {
		t.Fatalf("search %q: %v", query, err)
	}
	var titles []string
	for _, h := range r.Hits {
		titles = append(titles, h.Title)
	}
	return titles
}

func (w *world) some(from, to int) {
	for i := from; i < to; i++ {
		w.put(fmt.Sprintf("com.example.www:https/%d", i), fmt.Sprintf("Page %d", i), "water over the mill "+strings.Repeat("race ", i%7))
	}
}

// replaced waits until no shard answers in place of another one.
func (w *world) replaced(s *Shards) {
	w.t.Helper()
	late := time.After(time.Minute)
	for {
		moved, waits := s.Moved(), 0
		for _, st := range s.Status() {
			if st.Replacing {
				waits++
			}
		}
		if waits == 0 {
			return
		}
		select {
		case <-moved:
		case <-late:
			w.t.Fatalf("%d shards are not replaced: %+v", waits, s.Status())
		}
	}
}

// trim deletes the first n records of every partition.
func (w *world) trim(n int64) {
	w.t.Helper()
	to := kadm.Offsets{}
	for p := range int32(partitions) {
		to.Add(kadm.Offset{Topic: topics.Unique().Name, Partition: p, At: min(n, w.ends[p])})
	}
	done, err := kadm.NewClient(w.cl).DeleteRecords(w.t.Context(), to)
	if err != nil || done.Error() != nil {
		w.t.Fatal(err, done.Error())
	}
}
