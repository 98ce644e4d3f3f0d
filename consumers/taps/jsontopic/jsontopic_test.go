package jsontopic

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What is in no field is left out, 64-bit numbers are numbers, and what JSON cannot write is null.
func TestADocumentAsJSON(t *testing.T) {
	d := &schema.Doc{
		RowKey: "org.example:https/a", Title: "\"A\" <b> \u2028", Rev: 1 << 52, Fit: true, Score: math.NaN(),
		TextHash: []byte{1, 2, 255}, Simhash: math.MaxUint64, Kind: schema.Kind(1), Headings: []string{"one", "two"},
		PageStarts: []int32{0, 17}, Directives: &schema.Directives{Nosnippet: true},
	}
	const want = `{"directives":{"noarchive":false,"nofollow":false,"nosnippet":true},"fit":true,"headings":["one","two"],` +
		`"kind":"KIND","page_starts":[0,17],"rev":4503599627370496,"row_key":"org.example:https/a","score":null,` +
		`"simhash":18446744073709551615,"text_hash":"AQL/","title":"\"A\" \u003cb\u003e \u2028"}`
	got, err := encode(d)
	if want := strings.Replace(want, "KIND", d.Kind.String(), 1); err != nil || string(got) != want {
		t.Errorf("%v\n%s\n%s", err, got, want)
	}
	if got, err := encode(&schema.Doc{}); err != nil || string(got) != `{"fit":false}` {
		t.Errorf("an empty document: %s, %v", got, err)
	}
}

// world is a broker in memory and the tap's topic on it.
type world struct {
	*testing.T
	kafka streams.Options
	log   *streams.Log
	tap   *Tap
}

func newWorld(t *testing.T) *world {
	kafka := streamstest.Options(t)
	log, err := streams.NewLog(kafka)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	tap, err := New(Options{To: topics.JSONTopic, Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // again is harmless
		if err := tap.Prepare(t.Context(), log); err != nil {
			t.Fatal(err)
		}
	}
	return &world{t, kafka, log, tap}
}

// member runs a member until stop is called; ended has its error.
func (w *world) member() (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.tap.Run(ctx, streamstest.Config(w.kafka), w.log) }()
	stopped, ended := false, error(nil)
	stop = func() error {
		if !stopped {
			stopped = true
			cancel()
			ended = <-done
		}
		return ended
	}
	w.Cleanup(func() { _ = stop() })
	return stop
}

// publish appends documents and deletions of a few keys, and keeps the fold.
func (w *world) publish(random *rand.Rand, want map[string]string, n int) {
	w.Helper()
	var r streamstest.Recorder
	e := streams.NewEmitter(r.Partition(0, 4), "dedupe", topics.Unique())
	for range n {
		i := random.IntN(12)
		key := fmt.Sprintf("test.a:https/%d", i)
		if random.IntN(3) == 0 {
			e.Tombstone(int32(i%4), key, key, streams.Header{Key: "reason", Value: []byte("NOT_FOUND")})
			delete(want, key)
			continue
		}
		d := &schema.Doc{RowKey: key, Rev: int64(random.IntN(1000)) + 1, Title: "T"}
		e.SendTo(int32(i%4), &schema.Unique{Doc: d})
		want[key] = fmt.Sprintf(`{"fit":false,"rev":%d,"row_key":%q,"title":"T"}`, d.Rev, key)
	}
	if err := streamstest.Append(w.Context(), w.kafka, r.Take()); err != nil {
		w.Fatal(err)
	}
}

// folds returns when the fold of the topic is want.
func (w *world) folds(want map[string]string) {
	w.Helper()
	got := map[string]string{}
	streamstest.Tail(w, w.kafka, topics.JSONTopic, func(r *kgo.Record) bool {
		if delete(got, string(r.Key)); r.Value != nil {
			got[string(r.Key)] = string(r.Value)
		}
		return fmt.Sprint(got) == fmt.Sprint(want)
	})
}

// Members come and go while documents are published, published again and deleted: the topic has the
// same fold. What cannot be copied becomes a dead letter and holds nobody up.
func TestTheTopicIsTheSameTable(t *testing.T) {
	w := newWorld(t)
	want, random := map[string]string{}, rand.New(rand.NewPCG(3, 4))
	stop := w.member()
	for range 3 {
		w.publish(random, want, 40)
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		stop = w.member()
	}
	huge := topics.Unique().MaxBytes()/6 + 1<<10 // each of its characters takes six bytes
	if err := streams.Append(t.Context(), w.kafka,
		streams.Send{Topic: topics.Unique().Name, Key: "undecodable", Value: []byte("\xff\xff")},
		streams.Send{Topic: topics.Unique().Name, Key: "huge", Value: streams.Encode(&schema.Unique{Doc: &schema.Doc{Text: strings.Repeat("\x01", huge)}})},
	); err != nil {
		t.Fatal(err)
	}
	w.publish(random, want, 10)
	w.folds(want)
	dead := map[string]bool{}
	streamstest.Tail(t, w.kafka, topics.DeadLetters().Name, func(r *kgo.Record) bool {
		dead[string(r.Key)] = true
		return dead["undecodable"] && dead["huge"]
	})
	for _, g := range readers(t, w.log) {
		if g.Group != w.tap.Group().Name {
			t.Errorf("the group %s is shown as one of other programs", g.Group)
		}
	}
}

func readers(t *testing.T, log *streams.Log) []streams.GroupLag {
	t.Helper()
	out, err := log.Readers(t.Context())
	if err != nil || len(out) == 0 {
		t.Fatalf("%v, %v", out, err)
	}
	return out
}

// A topic that was made anew, and has grown beyond what was read of the old one, is read from its
// beginning.
func TestATopicThatWasMadeAnewIsNoticed(t *testing.T) {
	w := newWorld(t)
	want, random := map[string]string{}, rand.New(rand.NewPCG(5, 6))
	stop := w.member()
	w.publish(random, want, 20)
	w.folds(want)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	streamstest.Remake(t, w.kafka, topics.Unique().Name)
	for i := range 12 { // every key has a new record, before as many records as the old topic had
		w.publishOne(want, i)
	}
	w.publish(random, want, 200)
	w.member()
	w.folds(want)
}

func (w *world) publishOne(want map[string]string, i int) {
	w.Helper()
	key := fmt.Sprintf("test.a:https/first-%d", i)
	want[key] = fmt.Sprintf(`{"fit":false,"rev":7,"row_key":%q}`, key)
	send := streams.Send{Topic: topics.Unique().Name, Partition: int32(i % 4), Key: key, Value: streams.Encode(&schema.Unique{Doc: &schema.Doc{RowKey: key, Rev: 7}})}
	if err := streamstest.Append(w.Context(), w.kafka, []streams.Send{send}); err != nil {
		w.Fatal(err)
	}
}

// A topic of somebody else, which a mistyped --to names, keeps its records and its settings.
func TestATopicOfSomebodyElseIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	for name, spec := range map[string]topics.Spec{
		"events": {Name: "events", Count: topics.PerSite, Retention: time.Hour},
		"table":  {Name: "table", Count: topics.PerSite},
	} {
		if err := w.log.Make(t.Context(), spec, streams.Layout{PerSite: 4, Replicas: 1}); err != nil {
			t.Fatal(err)
		}
		if err := streams.Append(t.Context(), w.kafka, streams.Send{Topic: name, Key: "theirs", Value: []byte("theirs")}); err != nil {
			t.Fatal(err)
		}
		before, err := w.log.Cleanup(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		tap, err := New(Options{To: name, Replicas: 1})
		if err != nil {
			t.Fatal(err)
		}
		err = tap.Prepare(t.Context(), w.log)
		if err == nil || !strings.Contains(err.Error(), "belongs to somebody else") {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := w.log.Cleanup(t.Context(), name); after != before || err != nil {
			t.Errorf("%s: cleanup.policy was %s, is %s, %v", name, before, after, err)
		}
	}
}

// Two processes with one --to, begun at the same moment on a topic that is not there, share the
// work: each record is copied once.
func TestTwoWritersOfOneTopicAreOneGroup(t *testing.T) {
	w := newWorld(t)
	want, random := map[string]string{}, rand.New(rand.NewPCG(7, 8))
	w.publish(random, want, 40)
	w.member()
	w.member()
	w.publish(random, want, 40)
	w.folds(want)
	sum := func(topic string) (n int64) {
		ends, err := w.log.Ends(t.Context(), topic)
		if err != nil {
			t.Fatal(err)
		}
		for p := range ends {
			err := w.log.Scan(t.Context(), topic, p, 0, ends[p], func(streams.Raw) error { n++; return nil })
			if err != nil {
				t.Fatal(err)
			}
		}
		return n
	}
	for sum(topics.JSONTopic) < sum(topics.Unique().Name) { // the fold may be whole before the last copy
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
	}
	if got, read := sum(topics.JSONTopic), sum(topics.Unique().Name); got != read {
		t.Errorf("%d records of %d are %d copies", read, read, got)
	}
}

func TestTopicsThatCannotBeWritten(t *testing.T) {
	for _, name := range []string{"", "a b", "..", "ä", topics.Unique().Name, topics.Control().Name, strings.Repeat("x", 201)} {
		if _, err := New(Options{To: name, Replicas: 1}); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
	w := newWorld(t)
	four, err := New(Options{To: "other", Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.log.Make(t.Context(), topics.Spec{Name: "other", Count: topics.PerSite}, streams.Layout{PerSite: 2, Replicas: 1}); err != nil {
		t.Fatal(err)
	}
	if err := four.Prepare(t.Context(), w.log); err == nil || !strings.Contains(err.Error(), "2 partitions, not 4") {
		t.Errorf("a topic of another number of partitions: %v", err)
	}
}
