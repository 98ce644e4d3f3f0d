package streams

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// member holds what the parts of a runner share: configuration, Kafka client, and the state through
// which they signal each other. It is complete when joined is closed.
type member struct {
	cfg   Config
	spec  topics.Group
	reads string // name of the topic that the group reads
	log   *slog.Logger

	joined chan struct{} // closed when cl is set; the client's callbacks may run before and wait for it
	cl     *kgo.Client
	reader *Log
	counts map[string]int32 // partitions by topic

	// Safe for concurrent use.
	guard   guard
	wake    waker
	waiting atomic.Bool // a callback of a rebalance waits for the round to end
	side    beside
}

func newMember(cfg Config, g topics.Group, reads string) *member {
	return &member{
		cfg: cfg, spec: g, reads: reads, log: cfg.Logger.With("group", g.Name),
		counts: map[string]int32{}, joined: make(chan struct{}),
		guard: guard{session: cfg.Session, beat: heartbeat{session: cfg.Session}},
	}
}

// beside is the group of goroutines that run beside the loop. Their context ends with stop.
type beside struct {
	sync.WaitGroup
	ctx  context.Context
	stop context.CancelFunc
}

// count reads the partition counts of the topics that the group reads and writes. It returns a
// countError if one is not that of Config.Layout.
func (m *member) count(ctx context.Context) error {
	for _, t := range append([]string{m.reads, topics.DeadLetters().Name}, m.spec.Writes...) {
		ask := m.reader.Partitions
		if _, err := topics.Named(t); err != nil {
			ask = m.reader.await // a topic beside the pipeline, which its tap may just have made
		}
		n, err := ask(ctx, t)
		if err != nil {
			return err
		}
		if err := m.counted(t, n); err != nil {
			return err
		}
		m.counts[t] = n
	}
	return nil
}

// counted compares the number of a topic's partitions with Config.Layout, if that is known. Then
// the topic is one of topics.All.
func (m *member) counted(topic string, n int32) error {
	if m.cfg.Layout.PerHost == 0 {
		return nil
	}
	spec, err := topics.Named(topic)
	if err != nil {
		return err
	}
	if want := m.cfg.Layout.Partitions(spec); n != want {
		return &countError{topic: topic, have: n, want: want}
	}
	return nil
}

// options returns the options of the client, without the callbacks of the runner.
func (m *member) options() []kgo.Opt {
	opts := []kgo.Opt{
		kgo.ConsumerGroup(m.spec.Name),
		kgo.ConsumeTopics(m.reads),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.BlockRebalanceOnPoll(),
		kgo.DisableAutoCommit(),
		kgo.SessionTimeout(m.cfg.Session),
		kgo.HeartbeatInterval(min(time.Second, m.cfg.Session/5)),
		kgo.RequestTimeoutOverhead(min(10*time.Second, m.cfg.Session/2)), // a dead connection is noticed before the session ends
		kgo.RebalanceTimeout(rebalanceTimeout(m.cfg.Session)),
		kgo.FetchMaxWait(fetchWait(m.spec)),
		kgo.OnPartitionsCallbackBlocked(func(context.Context, *kgo.Client) { m.waiting.Store(true) }),
		kgo.RecordPartitioner(counted{m.counts, &m.guard}),
		kgo.MetadataMaxAge(min(10*time.Second, m.cfg.Session)), // the longest time until new partitions of a topic are seen
		kgo.WithHooks(&m.guard.beat),
	}
	opts = append(opts, m.protocol()...)
	if m.cfg.Static {
		opts = append(opts, kgo.InstanceID(m.instance()))
	}
	if m.cfg.Kafka.Transactions {
		opts = append(opts, kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords())
	}
	return opts
}

// seek makes the client fetch from other offsets.
func (m *member) seek(offsets map[int32]kgo.EpochOffset) {
	if len(offsets) > 0 {
		m.cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{m.reads: offsets})
	}
}

// send appends records and waits until all are acknowledged or have failed, or ctx ends.
func (m *member) send(ctx context.Context, list []Send) error {
	defer m.cfg.Kafka.holdTables(list)()
	acks := make(chan error, len(list))
	for _, s := range list {
		m.produce(ctx, s, func(err error) { acks <- err })
	}
	var failed error
	for range list {
		select {
		case err := <-acks:
			failed = errors.Join(failed, err)
		case <-ctx.Done():
			return fmt.Errorf("append: %w", context.Cause(ctx))
		}
	}
	if failed != nil {
		return fmt.Errorf("append: %w", errors.Join(m.guard.failure(), failed))
	}
	return nil
}

// produce appends one record, and counts it when it is acknowledged. If its topic was deleted or
// made anew it also ends the session.
func (m *member) produce(ctx context.Context, s Send, done func(error)) {
	rec := &kgo.Record{Topic: s.Topic, Partition: s.Partition, Key: []byte(s.Key), Value: s.Value}
	if s.Partition == AnyPartition {
		rec.Partition = topics.Partition(s.Route, m.counts[s.Topic])
	}
	if len(s.Headers) > 0 {
		rec.Headers = make([]kgo.RecordHeader, len(s.Headers))
	}
	for i, h := range s.Headers {
		rec.Headers[i] = kgo.RecordHeader(h)
	}
	m.cl.Produce(ctx, rec, func(_ *kgo.Record, err error) {
		if err == nil {
			m.cfg.Meter.sent(m.spec.Name, s.Topic, len(s.Value))
		}
		if topicGone(err) {
			m.guard.fail(fmt.Errorf("append to %s: %w", s.Topic, err))
		}
		done(err)
	})
}

// topicGone reports whether an append failed because its topic was deleted or made anew. The client
// keeps the old topic's id, so a retry with this client would always fail.
func topicGone(err error) bool {
	return errors.Is(err, kerr.UnknownTopicID) || errors.Is(err, kerr.UnknownTopicOrPartition) || errors.Is(err, kerr.InconsistentTopicID)
}
