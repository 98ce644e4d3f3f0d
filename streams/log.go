package streams

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// Log asks the brokers about topics and groups, and reads records outside a group's own
// consumption.
//
// It is large because every question to the brokers is a method, by kind in a file: offsets and
// commits (log.go), lag (lag.go, readers.go), records as they come (follow.go), topics that are
// made and checked (provision.go, inspect.go), deletion (trim.go, compact.go), what is left of a
// log (witness.go). It keeps no state of its own.
type Log struct {
	opts Options
	cl   *kgo.Client
	adm  *kadm.Client
}

// Options say how to reach the brokers.
type Options struct {
	Brokers []string
	Client  []kgo.Opt // TLS, SASL, dialer
	// Transactions lets groups with Delivery Transactional use transactions, and makes readers read
	// only committed records. It is off on the embedded broker.
	Transactions bool
	// MachineStart identifies this boot of the machine, where the broker is in this process: after
	// another boot the log may have lost its end. It is "" for brokers elsewhere.
	MachineStart string
	// Damaged reports whether a part of a partition was found damaged and was cut; nil: none was.
	Damaged func(topic string, partition int32) bool
	// Sync returns when what was appended to a partition is on the disk; nil: the brokers see to
	// that themselves. Tables is held while records of tables are appended, and locked while a
	// Keeper copies live records of one; nil: the brokers compact. Both are for the embedded
	// broker.
	Sync   func(topic string, partition int32) error
	Tables *sync.RWMutex
	// Dial connects to the brokers; nil: TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// NewLog returns a reader of the log.
func NewLog(opts Options) (*Log, error) {
	cl, err := opts.client()
	if err != nil {
		return nil, err
	}
	return &Log{opts: opts, cl: cl, adm: kadm.NewClient(cl)}, nil
}

// Close releases the connections.
func (l *Log) Close() { l.adm.Close() }

// Bytes that one answer to a fetch may hold, in all and per partition; a larger record comes alone.
// Every client holds up to two answers. With 32 and 16 MiB the broker in the process used five
// times the bytes of the records to build the answers to a reader that was behind.
const (
	fetchBytes          = 8 << 20
	fetchBytesPartition = 2 << 20
)

// options returns the options that all clients share, followed by more.
func (o Options) options(more ...kgo.Opt) []kgo.Opt {
	base := []kgo.Opt{
		kgo.SeedBrokers(o.Brokers...),
		kgo.ClientID("millrace"),
		kgo.ProducerBatchMaxBytesFn(func(topic string) int32 { return int32(topics.Spec{Name: topic}.MaxBytes()) }),
		kgo.MaxBufferedBytes(256 << 20),
		kgo.ProducerBatchCompression(kgo.SnappyCompression(), kgo.NoCompression()),
		kgo.ProducerLinger(0),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.FetchMaxBytes(fetchBytes),
		kgo.FetchMaxPartitionBytes(fetchBytesPartition),
		kgo.BrokerMaxReadBytes(128 << 20),
		kgo.MaxDecompressBatchBytes(unpackBatch),
		kgo.MetadataMinAge(250 * time.Millisecond),
	}
	if o.Dial != nil {
		base = append(base, kgo.Dialer(o.Dial), kgo.DisableClientMetrics()) // the embedded broker does not use them
	}
	return append(append(base, o.Client...), more...)
}

func (o Options) client(more ...kgo.Opt) (*kgo.Client, error) {
	cl, err := kgo.NewClient(o.options(more...)...)
	if err != nil {
		return nil, fmt.Errorf("kafka client: %w", err)
	}
	return cl, nil
}

// reader is a client that reads what is committed, if the log has transactions.
func (o Options) reader(more ...kgo.Opt) (*kgo.Client, error) {
	if o.Transactions {
		more = append(more, kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	}
	return o.client(more...)
}

// Partitions returns the number of partitions of a topic.
func (l *Log) Partitions(ctx context.Context, topic string) (int32, error) {
	d, err := l.adm.ListTopics(ctx, topic)
	if err == nil {
		err = d[topic].Err
	}
	if err != nil {
		return 0, fmt.Errorf("list topic %s: %w", topic, deniedAs(err, topics.Describe, topics.TopicResource, topic))
	}
	return int32(len(d[topic].Partitions)), nil
}

// End returns the offset after the last record of a partition that readers can see (with
// transactions: the last committed one).
func (l *Log) End(ctx context.Context, topic string, partition int32) (int64, error) {
	ends, err := l.Ends(ctx, topic)
	if err != nil {
		return 0, err
	}
	return ends[partition], nil
}

// Ends returns End for every partition of a topic.
func (l *Log) Ends(ctx context.Context, topic string) (map[int32]int64, error) {
	list := l.adm.ListEndOffsets
	if l.opts.Transactions {
		list = l.adm.ListCommittedOffsets
	}
	offsets, err := list(ctx, topic)
	return byPartition(offsets, err, "end offsets", topic)
}

// Start returns the offset of the first record of a partition.
func (l *Log) Start(ctx context.Context, topic string, partition int32) (int64, error) {
	starts, err := l.Starts(ctx, topic)
	if err != nil {
		return 0, err
	}
	return starts[partition], nil
}

// DeleteRecords deletes the records of a partition before an offset. It must not be above Floor.
func (l *Log) DeleteRecords(ctx context.Context, topic string, partition int32, before int64) error {
	var to kadm.Offsets
	to.AddOffset(topic, partition, before, -1)
	done, err := l.adm.DeleteRecords(ctx, to)
	if err == nil {
		err = done.Error()
	}
	if err != nil {
		return fmt.Errorf("delete records of %s/%d: %w", topic, partition, err)
	}
	return nil
}

// Floor returns, by partition, the offset below which every group that reads the topic
// (topics.Readers, but for those named in without) has done all records: they may be deleted. It is
// 0 while a group has no commit, and the end of the partition if no group reads the topic.
func (l *Log) Floor(ctx context.Context, topic string, without ...string) (map[int32]int64, error) {
	floor, err := l.Ends(ctx, topic)
	if err != nil {
		return nil, err
	}
	for _, g := range topics.Readers(topic) {
		if slices.Contains(without, g.Name) {
			continue
		}
		done, err := l.Committed(ctx, g.Name, topic)
		if err != nil {
			return nil, err
		}
		for p := range floor {
			floor[p] = min(floor[p], done[p].Offset) // a group without a commit has done nothing
		}
	}
	return floor, nil
}

// Committed returns how far a group got in its topic, by partition. Partitions
// without a commit are missing.
func (l *Log) Committed(ctx context.Context, group, topic string) (map[int32]Progress, error) {
	return l.commits(ctx, group).of(group, topic)
}

// commits are how far groups got in all their topics.
type commits kadm.FetchOffsetsResponses

// commits asks for all groups in one request to each of their coordinators.
func (l *Log) commits(ctx context.Context, groups ...string) commits {
	return commits(l.adm.FetchManyOffsets(ctx, groups...))
}

// of is what Committed returns for one group and topic.
func (c commits) of(group, topic string) (map[int32]Progress, error) {
	resp, ok := c[group]
	if !ok {
		return nil, fmt.Errorf("offsets of group %s: no answer", group)
	}
	if errors.Is(resp.Err, kerr.GroupIDNotFound) {
		return map[int32]Progress{}, nil
	}
	if resp.Err != nil {
		return nil, fmt.Errorf("offsets of group %s: %w", group, deniedAs(resp.Err, topics.Describe, topics.GroupResource, group))
	}
	out := map[int32]Progress{}
	var failed error
	for _, o := range resp.Fetched[topic] {
		switch {
		case o.Err != nil:
			failed = errors.Join(failed, o.Err)
		case o.At >= 0:
			p, err := ParseProgress(o.At, o.Metadata)
			failed = errors.Join(failed, err)
			out[o.Partition] = p
		}
	}
	if failed != nil {
		return nil, fmt.Errorf("offsets of group %s: %w", group, failed)
	}
	return out, nil
}

// Commit sets how far a group got in one partition. The group must have no
// members.
func (l *Log) Commit(ctx context.Context, group, topic string, partition int32, p Progress) error {
	var offsets kadm.Offsets
	offsets.Add(kadm.Offset{Topic: topic, Partition: partition, At: p.Offset, LeaderEpoch: -1, Metadata: p.Metadata()})
	if err := l.adm.CommitAllOffsets(ctx, group, offsets); err != nil {
		return fmt.Errorf("commit for %s: %w", group, deniedAs(err, topics.Read, topics.GroupResource, group))
	}
	return nil
}

// Read calls fn for the records of a partition in [from, to), in order. It leaves out records that
// do not decode; the group that reads the topic makes them dead letters. It ends early with fn's
// error.
func Read[M topics.Message](ctx context.Context, l *Log, t topics.Topic[M], partition int32, from, to int64, fn func(*Record[M]) error) error {
	return l.scan(ctx, t.Name, partition, from, to, func(r *kgo.Record) error {
		rec, err := decode(t, r)
		if err != nil {
			return nil
		}
		return fn(rec)
	})
}

// Raw is a record of a topic, undecoded.
type Raw struct {
	Topic     string
	Partition int32
	Offset    int64
	Time      time.Time
	Key       string
	Value     []byte // nil = tombstone
	Headers   []Header
}

// Scan calls fn for the records of a partition in [from, to), undecoded.
func (l *Log) Scan(ctx context.Context, topic string, partition int32, from, to int64, fn func(Raw) error) error {
	return l.scan(ctx, topic, partition, from, to, func(r *kgo.Record) error {
		return fn(rawOf(r))
	})
}

// scan calls fn for the records in [from, to) of a partition. It also fetches transaction markers,
// which it does not pass on: without them it would wait for ever when a marker is the last offset.
func (l *Log) scan(ctx context.Context, topic string, partition int32, from, to int64, fn func(*kgo.Record) error) error {
	start, err := l.Start(ctx, topic, partition)
	if err != nil {
		return err
	}
	end, err := l.End(ctx, topic, partition)
	if err != nil {
		return err
	}
	if from, to = max(from, start), min(to, end); from >= to { // a log that was cut may end before to
		return nil
	}
	opts := []kgo.Opt{
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {partition: kgo.NewOffset().At(from)}}),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.KeepControlRecords(),
	}
	cl, err := l.opts.reader(opts...)
	if err != nil {
		return err
	}
	defer cl.Close()
	for {
		fetches := cl.PollFetches(ctx)
		if next, err := afterBomb(fetches, cl); err != nil {
			return fmt.Errorf("read %s/%d: %w", topic, partition, deniedAs(err, topics.Read, topics.TopicResource, topic))
		} else if next >= to {
			return nil
		}
		for it := fetches.RecordIter(); !it.Done(); {
			r := it.Next()
			if r.Offset >= to {
				return nil
			}
			if !r.Attrs.IsControl() {
				if err := fn(r); err != nil {
					return err
				}
			}
			if r.Offset+1 >= to {
				return nil
			}
		}
	}
}

// decode turns a record of the client into one of a topic.
func decode[M topics.Message](t topics.Topic[M], r *kgo.Record) (*Record[M], error) {
	rec := &Record[M]{
		Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Time: r.Timestamp,
		Key: string(r.Key), Bytes: r.Value, Tombstone: r.Value == nil,
	}
	if len(r.Headers) > 0 {
		rec.Headers = make([]Header, len(r.Headers))
	}
	for i, h := range r.Headers {
		rec.Headers[i] = Header(h)
	}
	if rec.Tombstone {
		return rec, nil
	}
	rec.Value = t.New()
	if err := rec.Value.UnmarshalVT(r.Value); err != nil {
		return rec, DeadLetter("decode", "%s: %w", t.Message, err)
	}
	return rec, nil
}
