package ranks

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// A Table that follows a topic which was made anew, and filled up to the old end, has the values of
// the new one.
func TestATableFollowsATopicThatWasMadeAnew(t *testing.T) {
	kafka := streamstest.Options(t)
	log, err := streams.NewLog(kafka)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	tell := func(key string) {
		cl, err := kgo.NewClient(kgo.SeedBrokers(kafka.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
		if err != nil {
			t.Fatal(err)
		}
		defer cl.Close()
		r := &kgo.Record{Topic: topics.Ranks().Name, Value: streams.Encode(&schema.Rank{RowKey: key, Value: 3, Mean: .5})}
		if err := cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	table, at := NewTable(), position{}
	tell("test.a:http/old")
	if err := table.read(t.Context(), log, &at); err != nil || table.Authority("test.a:http/old") == 0 {
		t.Fatalf("the first topic is not read: %v", err)
	}
	streamstest.Remake(t, kafka, topics.Ranks().Name)
	tell("test.a:http/new")
	if err := table.read(t.Context(), log, &at); err != nil || table.Authority("test.a:http/new") == 0 {
		t.Fatalf("the new topic is not read: %v", err)
	}
}

// If the topic ranks is made anew, all values are published again, without a new record and without
// a restart.
func TestAllIsToldAgainOnATopicThatWasMadeAnew(t *testing.T) {
	kafka := streamstest.Options(t)
	log, err := streams.NewLog(kafka)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	w := newWorld1(t)
	w.rec.Reader = log
	w.page("1", "2", "3")
	w.page("2", "1")
	w.page("3")
	before := w.rest()
	if again := w.rest(); before == "" || again != "" {
		t.Fatalf("told %q, then %q", before, again)
	}
	streamstest.Remake(t, kafka, topics.Ranks().Name)
	w.now = w.now.Add(DefaultOptions().Every)
	if err := w.task.Tick(t.Context(), w.now); err != nil {
		t.Fatal(err)
	}
	if got := w.rest(); got != before {
		t.Errorf("told %q on the new topic, want %q", got, before)
	}
}
