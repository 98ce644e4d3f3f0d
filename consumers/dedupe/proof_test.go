package dedupe

import (
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

// A broker in process, and what dedupe proves of it.
func TestNothingIsProvedWhileRecordsRepeat(t *testing.T) {
	kafka := streamstest.Options(t)
	log, err := streams.NewLog(kafka)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	// One record is to be handled; a crashed owner has sent what it led to.
	put(t, kafka, topics.Extracted().Name, streams.Encode(page(short, "x", 1)))
	put(t, kafka, topics.Unique().Name, []byte("whatever"))

	s := newScene(t, nil)
	s.w.link.Reader = log
	if err := s.w.start(); err != nil {
		t.Fatal(err)
	}
	now := time.UnixMilli(1 << 40)
	tick := func(want bool) (offset int64, digest uint64) {
		t.Helper()
		if err := s.w.task.Tick(t.Context(), now); err != nil {
			t.Fatal(err)
		}
		offset, digest, n, ok, err := Proof(t.Context(), s.w.store, 0)
		if err != nil || ok != want || ok && n != 1 {
			t.Fatalf("proof of %d documents: %t, %v; want %t", n, ok, err, want)
		}
		return offset, digest
	}
	tick(false)
	s.come(page(short, "x", 1))
	offset, digest := tick(true)
	last := s.w.out[len(s.w.out)-1]
	if want := schema.RecordHash(last.Key, last.Value); offset != 1 || digest != want {
		t.Errorf("proof of %x before offset %d, want %x before 1", digest, offset, want)
	}
	put(t, kafka, topics.Unique().Name, []byte("whatever"))
	now = now.Add(proveEvery - 1)
	if offset, _ := tick(true); offset != 1 {
		t.Error("proved again before it was time")
	}
	now = now.Add(1)
	if offset, _ := tick(true); offset != 2 {
		t.Errorf("proved before offset %d, want 2", offset)
	}
}

func put(t *testing.T, kafka streams.Options, topic string, value []byte) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(kafka.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Value: value}).FirstErr(); err != nil {
		t.Fatal(err)
	}
}
