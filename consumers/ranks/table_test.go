package ranks

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// A table that follows a topic which was made anew, and filled up to where the old one was, has
// what the new one says.
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
