package streams_test

import (
	"context"
	"errors"
	"hash/crc32"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// forgetful leaves what Kafka leaves when it forgets a partition of a transaction: records and
// offsets of a transaction of which the coordinator knows nothing. Brokers check that today, so it
// is switched off for the moment.
type forgetful struct {
	cl       *kgo.Client
	id       string
	producer int64
	epoch    int16
}

// forgets calls leave while brokers take what no coordinator knows.
func forgets(t *testing.T, opts streams.Options, leave func(f forgetful)) {
	t.Helper()
	old := kversion.Stable()
	old.SetMaxKeyVersion(int16(kmsg.Produce), 9)
	old.SetMaxKeyVersion(int16(kmsg.TxnOffsetCommit), 3)
	f := forgetful{id: topics.TransactionPrefix("extract") + "forgotten"}
	var err error
	f.cl, err = kgo.NewClient(kgo.SeedBrokers(opts.Brokers...), kgo.TransactionalID(f.id), kgo.MaxVersions(old), kgo.DisableClientMetrics())
	if err != nil {
		t.Fatal(err)
	}
	defer f.cl.Close()
	adm := kadm.NewClient(f.cl)
	const setting = "transaction.partition.verification.enable"
	off := "false"
	alter := func(c kadm.AlterConfig) {
		res, err := adm.AlterBrokerConfigs(t.Context(), []kadm.AlterConfig{c})
		if err == nil {
			err = res[0].Err
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	alter(kadm.AlterConfig{Op: kadm.SetConfig, Name: setting, Value: &off})
	defer alter(kadm.AlterConfig{Op: kadm.DeleteConfig, Name: setting})
	leave(f)
}

// record leaves a record in partition 1 of docs.extracted.
func (f forgetful) record(t *testing.T) {
	topic := kmsg.NewProduceRequestTopic()
	topic.Topic = topics.Extracted().Name
	part := kmsg.NewProduceRequestTopicPartition()
	part.Partition, part.Records = 1, transactional(f.producer, f.epoch)
	topic.Partitions = append(topic.Partitions, part)
	produce := kmsg.NewPtrProduceRequest()
	produce.TransactionID, produce.Acks, produce.TimeoutMillis = &f.id, -1, 10_000
	produce.Topics = append(produce.Topics, topic)
	taken(t, func(ctx context.Context) error {
		r, err := produce.RequestWith(ctx, f.cl)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(r.Topics[0].Partitions[0].ErrorCode)
	})
}

// offset leaves an offset of the group extract.
func (f forgetful) offset(t *testing.T) {
	read := kmsg.NewTxnOffsetCommitRequestTopic()
	read.Topic = topics.Pages().Name
	read.Partitions = append(read.Partitions, kmsg.NewTxnOffsetCommitRequestTopicPartition())
	commit := kmsg.NewPtrTxnOffsetCommitRequest()
	commit.TransactionalID, commit.Group, commit.ProducerID, commit.ProducerEpoch = f.id, "extract", f.producer, f.epoch
	commit.Topics = append(commit.Topics, read)
	taken(t, func(ctx context.Context) error {
		r, err := commit.RequestWith(ctx, f.cl)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(r.Topics[0].Partitions[0].ErrorCode)
	})
}

// forget leaves a record and an offset, as a transaction of a member that is gone.
func forget(t *testing.T, opts streams.Options) {
	t.Helper()
	forgets(t, opts, func(f forgetful) {
		var err error
		if f.producer, f.epoch, err = f.cl.ProducerID(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.record(t)
		f.offset(t)
	})
}

// taken sends a request again and again while the brokers refuse it because they still check: they
// take over a changed setting a moment after they answered.
func taken(t *testing.T, request func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := request(ctx)
	for errors.Is(err, kerr.InvalidTxnState) && ctx.Err() == nil {
		err = request(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// transactional returns a batch of one tombstone, within a transaction.
func transactional(producer int64, epoch int16) []byte {
	now := time.Now().UnixMilli()
	rec := kmsg.NewRecord()
	rec.Key = []byte("forgotten")
	body := rec.AppendTo(nil)[1:] // without its length, of one byte
	rec.Length = int32(len(body))
	batch := kmsg.NewRecordBatch()
	batch.PartitionLeaderEpoch, batch.Magic, batch.Attributes = -1, 2, 1<<4
	batch.FirstTimestamp, batch.MaxTimestamp = now, now
	batch.ProducerID, batch.ProducerEpoch, batch.NumRecords = producer, epoch, 1
	batch.Records = rec.AppendTo(nil)
	const head, checked = 12, 21 // bytes before what Length counts, and before what CRC covers
	raw := batch.AppendTo(nil)
	batch.Length = int32(len(raw) - head)
	raw = batch.AppendTo(nil)
	batch.CRC = int32(crc32.Checksum(raw[checked:], crc32.MakeTable(crc32.Castagnoli)))
	return batch.AppendTo(nil)
}

// copies is a group that copies pages.fetched with transactions.
func copies() topics.Group {
	return topics.Group{Name: "extract", Reads: topics.Pages().Name, Writes: []string{topics.Extracted().Name}, Delivery: topics.Transactional}
}

// A broker that was killed may forget a partition of a transaction, which is open then for ever:
// the group gets no answer when it asks for its offset, and readers of its output see nothing more.
// The group ends it and goes on.
func TestATransactionThatTheBrokersForgotIsEnded(t *testing.T) {
	opts := kafkaAlone(t)
	group := copies()
	forget(t, opts)
	producePages(t, opts, 0, 40)

	cfg := streamstest.Config(opts)
	cfg.Session = 3 * time.Second
	streamstest.Start(t, cfg, group, topics.Pages(), startCopier(func(*streams.Record[*schema.Page]) error { return nil }))
	for _, topic := range []string{"__consumer_offsets", group.Writes[0]} {
		until(t, cfg.Meter, "the transaction in "+topic+" is ended", func() bool { return cfg.Meter.Value(group.Name, "hanging", topic) == 1 })
	}
	wantIdle(t, opts, group.Name)
	wantKeys(t, opts, 40)
}

// A member does not take what brokers left open of its ID into its own transactions, and does not
// wait for it.
func TestAMemberEndsWhatTheBrokersForgotOfItself(t *testing.T) {
	opts := kafkaAlone(t)
	group := copies()
	forget(t, opts)
	wantHeld(t, opts)
	producePages(t, opts, 0, 40)

	cfg := streamstest.Config(opts)
	cfg.Member, cfg.Static = "forgotten", true
	streamstest.Start(t, cfg, group, topics.Pages(), startCopier(func(*streams.Record[*schema.Page]) error { return nil }))
	wantKeys(t, opts, 40)
	for _, topic := range []string{"__consumer_offsets", group.Writes[0]} {
		if n := cfg.Meter.Value(group.Name, "hanging", topic); n != 1 {
			t.Errorf("%v transactions of %s were ended before the first of its own", n, topic)
		}
	}
	wantHidden(t, opts)
}

// A client that lost its connections looks for what brokers may have forgotten of the transaction
// before, when it was going to begin the next one.
func TestALivingMemberEndsWhatTheBrokersForgotOfItself(t *testing.T) {
	opts := kafkaAlone(t)
	group := copies()
	producePages(t, opts, 0, 10)
	lines := &network{}
	cfg := streamstest.Config(opts)
	cfg.Member, cfg.Static, cfg.Kafka.Dial = "forgotten", true, lines.dial
	streamstest.Start(t, cfg, group, topics.Pages(), startCopier(func(*streams.Record[*schema.Page]) error { return nil }))
	wantKeys(t, opts, 10)
	wantIdle(t, opts, group.Name)

	forgets(t, opts, func(f forgetful) {
		described, err := kadm.NewClient(f.cl).DescribeTransactions(t.Context(), f.id)
		if err != nil {
			t.Fatal(err)
		}
		f.producer, f.epoch = described[f.id].ProducerID, described[f.id].ProducerEpoch
		f.record(t)
	})
	lines.cut()
	producePages(t, opts, 10, 20)
	wantKeys(t, opts, 20)
	if n := cfg.Meter.Value(group.Name, "hanging", group.Writes[0]); n != 1 {
		t.Errorf("%v transactions were ended before the next one", n)
	}
}

// wantHeld fails if the lag of the readers does not count the record that the transaction holds
// back.
func wantHeld(t *testing.T, opts streams.Options) {
	t.Helper()
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, g := range log.Lag(t.Context()).Groups {
		if g.Group == "dedupe" && (g.Records != 1 || g.Seconds <= 0) {
			t.Errorf("dedupe has %d records of %v seconds before it, want 1", g.Records, g.Seconds)
		}
	}
}

// wantHidden fails if a record of the forgotten transaction is visible.
func wantHidden(t *testing.T, opts streams.Options) {
	t.Helper()
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	out := topics.Extracted().Name
	end, err := log.End(t.Context(), out, 1)
	if err == nil {
		err = log.Scan(t.Context(), out, 1, 0, end, func(r streams.Raw) error {
			if r.Key == "forgotten" {
				t.Errorf("a record of a transaction that was not committed is visible at offset %d", r.Offset)
			}
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}
