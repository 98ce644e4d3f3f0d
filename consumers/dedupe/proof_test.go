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

// proving is a scene with an in-process broker and a clock.
type proving struct {
	*scene
	kafka streams.Options
	log   *streams.Log
	now   time.Time
}

func newProving(t *testing.T, transactions bool) *proving {
	kafka := streamstest.Options(t)
	kafka.Transactions = transactions
	log, err := streams.NewLog(kafka)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	p := &proving{newScene(t, func(o *Options) { o.Transactions = transactions }), kafka, log, time.UnixMilli(1 << 40)}
	p.w.link.Reader = log
	return p
}

// tick lets the Task write a proof, and compares it.
func (p *proving) tick(want bool, atOffset int64) {
	p.Helper()
	p.now = p.now.Add(proveEvery)
	if err := p.w.task.Tick(p.Context(), p.now); err != nil {
		p.Fatal(err)
	}
	offset, digest, n, ok, err := Proof(p.Context(), p.w.store, 0)
	if err != nil || ok != want {
		p.Fatalf("a proof: %t, %v; want %t", ok, err, want)
	}
	if !ok {
		return
	}
	docs, values, err := standing(p.w.out)
	if err != nil {
		p.Fatal(err)
	}
	all := uint64(0)
	for key, value := range values {
		all ^= schema.RecordHash(key, value)
	}
	if offset != atOffset || digest != all || n != int64(len(docs)) {
		p.Errorf("%x of %d documents is proved before offset %d, want %x of %d before %d", digest, n, offset, all, len(docs), atOffset)
	}
}

// publish appends to docs.unique what the Task has sent.
func (p *proving) publish(from int) {
	for _, s := range p.w.out[from:] {
		put(p.T, p.kafka, s.Topic, s.Value)
	}
}

func (p *proving) commit(offset int64) {
	p.Helper()
	if err := p.log.Commit(p.Context(), Group, topics.Extracted().Name, 0, streams.Progress{Offset: offset}); err != nil {
		p.Fatal(err)
	}
}

func TestNothingIsProvedWhileRecordsRepeat(t *testing.T) {
	p := newProving(t, false)
	// One record is to be handled; a crashed owner has sent what it led to.
	put(t, p.kafka, topics.Extracted().Name, streams.Encode(page(short, "x", 1)))
	put(t, p.kafka, topics.Unique().Name, []byte("whatever"))
	if err := p.w.start(); err != nil {
		t.Fatal(err)
	}
	p.tick(false, 0)
	p.come(page(short, "x", 1))
	p.tick(true, 1)
	put(t, p.kafka, topics.Unique().Name, []byte("whatever"))
	p.now = p.now.Add(proveEvery - 1)
	if err := p.w.task.Tick(t.Context(), p.now); err != nil {
		t.Fatal(err)
	}
	if offset, _, _, _, _ := Proof(t.Context(), p.w.store, 0); offset != 1 {
		t.Error("proved again before it was time")
	}
	p.tick(true, 2)
}

// The group's commit says which records are on docs.unique.
func TestWhatATransactionDidNotCommitIsNotProved(t *testing.T) {
	p := newProving(t, true)
	for range 3 {
		put(t, p.kafka, topics.Extracted().Name, streams.Encode(page(short, "x", 1)))
	}
	if err := p.w.start(); err != nil {
		t.Fatal(err)
	}
	p.come(page(short, "x", 1))
	p.tick(false, 0) // settled, but its transaction was aborted
	p.publish(0)
	p.commit(1)
	p.tick(true, 1)

	p.come(page(long, "y", 1))
	p.now = p.now.Add(proveEvery)
	if err := p.w.task.Tick(t.Context(), p.now); err != nil {
		t.Fatal(err)
	}
	if offset, _, n, _, _ := Proof(t.Context(), p.w.store, 0); offset != 1 || n != 1 {
		t.Errorf("%d documents are proved before offset %d; the second one is not committed", n, offset)
	}
	p.publish(1)
	p.commit(2)
	p.tick(true, 2)
}

func TestATaskThatLostItsPartitionProvesNothing(t *testing.T) {
	p := newProving(t, true)
	for range 3 {
		put(t, p.kafka, topics.Extracted().Name, streams.Encode(page(short, "x", 1)))
	}
	if err := p.w.start(); err != nil {
		t.Fatal(err)
	}
	p.come(page(short, "x", 1))
	p.publish(0)
	p.commit(2) // its successor has handled the next record, and published it
	put(t, p.kafka, topics.Unique().Name, []byte("whatever"))
	p.tick(false, 0)
	p.commit(1)
	p.w.link.Stale = true // it only does not know yet
	p.tick(false, 0)
}

func TestNothingIsProvedWhileATransactionIsOpen(t *testing.T) {
	p := newProving(t, true)
	put(t, p.kafka, topics.Extracted().Name, streams.Encode(page(short, "x", 1)))
	if err := p.w.start(); err != nil {
		t.Fatal(err)
	}
	p.come(page(short, "x", 1))
	p.commit(1)
	cl, err := kgo.NewClient(kgo.SeedBrokers(p.kafka.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID("t"))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: topics.Unique().Name, Value: p.w.out[0].Value}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	p.tick(false, 0)
	if err := cl.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	p.tick(true, 2) // behind the marker
}

func put(t *testing.T, kafka streams.Options, topic string, value []byte) {
	t.Helper()
	putIn(t, kafka, topic, 0, value)
}

func putIn(t *testing.T, kafka streams.Options, topic string, partition int32, value []byte) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(kafka.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Partition: partition, Value: value}).FirstErr(); err != nil {
		t.Fatal(err)
	}
}
