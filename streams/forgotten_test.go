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

// forget leaves what Kafka leaves when it forgets a partition of a transaction: a record in a
// partition of the group's output, and an offset of the group, both of a transaction of which the
// coordinator knows nothing. Brokers check that today, so it is switched off for the moment.
func forget(t *testing.T, opts streams.Options, group topics.Group) {
	t.Helper()
	old := kversion.Stable()
	old.SetMaxKeyVersion(int16(kmsg.Produce), 9)
	old.SetMaxKeyVersion(int16(kmsg.TxnOffsetCommit), 3)
	id := topics.TransactionPrefix(group.Name) + "forgotten"
	cl, err := kgo.NewClient(kgo.SeedBrokers(opts.Brokers...), kgo.TransactionalID(id), kgo.MaxVersions(old), kgo.DisableClientMetrics())
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
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
	producer, epoch, err := cl.ProducerID(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	topic := kmsg.NewProduceRequestTopic()
	topic.Topic = group.Writes[0]
	part := kmsg.NewProduceRequestTopicPartition()
	part.Partition, part.Records = 1, transactional(producer, epoch)
	topic.Partitions = append(topic.Partitions, part)
	produce := kmsg.NewPtrProduceRequest()
	produce.TransactionID, produce.Acks, produce.TimeoutMillis = &id, -1, 10_000
	produce.Topics = append(produce.Topics, topic)
	taken(t, func(ctx context.Context) error {
		r, err := produce.RequestWith(ctx, cl)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(r.Topics[0].Partitions[0].ErrorCode)
	})

	read := kmsg.NewTxnOffsetCommitRequestTopic()
	read.Topic = group.Reads
	read.Partitions = append(read.Partitions, kmsg.NewTxnOffsetCommitRequestTopicPartition())
	commit := kmsg.NewPtrTxnOffsetCommitRequest()
	commit.TransactionalID, commit.Group, commit.ProducerID, commit.ProducerEpoch = id, group.Name, producer, epoch
	commit.Topics = append(commit.Topics, read)
	taken(t, func(ctx context.Context) error {
		r, err := commit.RequestWith(ctx, cl)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(r.Topics[0].Partitions[0].ErrorCode)
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

// A broker that was killed may forget a partition of a transaction, which is open then for ever:
// the group gets no answer when it asks for its offset, and readers of its output see nothing more.
// The group ends it and goes on.
func TestATransactionThatTheBrokersForgotIsEnded(t *testing.T) {
	opts := kafkaAlone(t)
	group := topics.Group{Name: "extract", Reads: topics.Pages().Name, Writes: []string{topics.Extracted().Name}, Delivery: topics.Transactional}
	forget(t, opts, group)
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
