package index

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// A transaction ends with a marker that has an offset and is handed to nobody: an index that has
// all records before it is complete.
func TestMarkersOfTransactionsAreNotMissing(t *testing.T) {
	w := newWorld(t)
	cl, err := kgo.NewClient(kgo.SeedBrokers(w.kafka.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID("writer"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	w.some(0, 8)
	for p := range int32(partitions) { // deletions of what was never there, so that every partition ends with a marker
		if err := cl.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		r := &kgo.Record{Topic: topics.Unique().Name, Partition: p, Key: []byte("com.example.www:https/never")}
		if err := cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := cl.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
		w.ends[p] = r.Offset + 1
	}
	w.opts.LookEvery = 1
	s := w.open()
	w.run(s)
	w.caughtUp(s)
	w.isFold(s)
	late := time.After(time.Minute)
	for {
		moved := s.Moved()
		err := s.Ready()
		if err == nil {
			return
		}
		select {
		case <-late:
			t.Fatal(err)
		case <-moved:
		}
	}
}
