package streams

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"millrace/topics"
)

// Layout is the number of partitions and replicas that topics are made with.
type Layout struct {
	PerHost  int32 // partitions of the topics keyed by host: a power of two
	PerSite  int32 // partitions of the topics keyed by site: never changes
	Replicas int16
	Embedded bool // bounded by bytes instead of time; no compaction
}

// DefaultLayout returns the layout for a cluster, or for one process with the embedded broker.
func DefaultLayout(embedded bool) Layout {
	if embedded {
		return Layout{PerHost: 4, PerSite: 4, Replicas: 1, Embedded: true}
	}
	return Layout{PerHost: 64, PerSite: 16, Replicas: 3}
}

// Validate returns an error for counts that are not powers of two from 1 to 4096.
func (l Layout) Validate() error {
	for _, n := range []int32{l.PerHost, l.PerSite} {
		if n < 1 || n > 4096 || bits.OnesCount32(uint32(n)) != 1 {
			return fmt.Errorf("%d partitions: must be a power of two from 1 to 4096, so that hosts keep their shards", n)
		}
	}
	return nil
}

// Partitions returns the number of partitions of a topic.
func (l Layout) Partitions(s topics.Spec) int32 {
	switch s.Count {
	case topics.PerHost:
		return l.PerHost
	case topics.PerSite:
		return l.PerSite
	}
	return 1
}

// Provision creates the topics that are missing and sets the configuration of those that are there.
// It fails if an existing topic has another number of partitions than the layout.
func Provision(ctx context.Context, opts Options, l Layout) error {
	return eachTopic(ctx, opts, l, (*Log).create)
}

// eachTopic calls fn with every topic of the pipeline, until it fails.
func eachTopic(ctx context.Context, opts Options, l Layout, fn func(*Log, context.Context, topics.Spec, Layout) error) error {
	if err := l.Validate(); err != nil {
		return err
	}
	log, err := NewLog(opts)
	if err != nil {
		return err
	}
	defer log.Close()
	for _, s := range topics.All() {
		if err := fn(log, ctx, s, l); err != nil {
			return fmt.Errorf("topic %s: %w", s.Name, err)
		}
	}
	return nil
}

// Make creates a topic beside those of the pipeline, if it is missing, and sets its configuration.
// It fails if there is one with another number of partitions than the layout.
func (l *Log) Make(ctx context.Context, s topics.Spec, layout Layout) error {
	if err := l.create(ctx, s, layout); err != nil {
		return fmt.Errorf("topic %s: %w", s.Name, err)
	}
	return nil
}

func (l *Log) create(ctx context.Context, s topics.Spec, layout Layout) error {
	want := layout.Partitions(s)
	_, err := l.adm.CreateTopic(ctx, want, layout.Replicas, settings(s, layout), s.Name)
	if err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
		return deniedAs(err, topics.Create, topics.TopicResource, s.Name)
	}
	have, err := l.await(ctx, s.Name)
	if err == nil && have != want {
		err = fmt.Errorf("has %d partitions, not %d: counts are fixed when a topic is made", have, want)
	}
	if err != nil {
		return err
	}
	return untilKnown(ctx, func() error { return l.configure(ctx, s.Name, settings(s, layout)) })
}

// Cleanup returns the setting cleanup.policy of a topic; "" if there is no such topic.
func (l *Log) Cleanup(ctx context.Context, topic string) (string, error) {
	have, err := l.adm.DescribeTopicConfigs(ctx, topic)
	for _, r := range have {
		if errors.Is(r.Err, kerr.UnknownTopicOrPartition) {
			return "", nil
		}
		err = errors.Join(err, r.Err)
		for _, c := range r.Configs {
			if c.Key == "cleanup.policy" {
				return c.MaybeValue(), nil
			}
		}
	}
	if err == nil {
		err = errors.New("the brokers do not say")
	}
	return "", fmt.Errorf("cleanup.policy of %s: %w", topic, deniedAs(err, topics.DescribeConfigs, topics.TopicResource, topic))
}

// configure changes the settings of an existing topic, as an earlier version made it, to those of
// this version. It changes only settings that differ.
func (l *Log) configure(ctx context.Context, topic string, want map[string]*string) error {
	have, err := l.adm.DescribeTopicConfigs(ctx, topic)
	if err != nil {
		return fmt.Errorf("read settings: %w", deniedAs(err, topics.DescribeConfigs, topics.TopicResource, topic))
	}
	var change []kadm.AlterConfig
	for _, r := range have {
		if r.Err != nil {
			return fmt.Errorf("read settings: %w", deniedAs(r.Err, topics.DescribeConfigs, topics.TopicResource, topic))
		}
		for _, c := range r.Configs {
			if v, ok := want[c.Key]; ok && c.MaybeValue() != *v {
				change = append(change, kadm.AlterConfig{Op: kadm.SetConfig, Name: c.Key, Value: v})
			}
		}
	}
	if len(change) == 0 {
		return nil
	}
	done, err := l.adm.AlterTopicConfigs(ctx, change, topic)
	for _, r := range done {
		err = errors.Join(err, deniedAs(r.Err, topics.AlterConfigs, topics.TopicResource, topic))
	}
	if err != nil {
		return fmt.Errorf("change settings: %w", err)
	}
	return nil
}

// await returns the number of a topic's partitions. It waits up to 30 s while a broker does not
// know the topic.
func (l *Log) await(ctx context.Context, topic string) (n int32, err error) {
	err = untilKnown(ctx, func() error {
		n, err = l.Partitions(ctx, topic)
		return err
	})
	return n, err
}

// untilKnown calls ask again, for up to 30 s, while a broker does not know the topic: brokers learn
// of a new topic a little later than the one that created it, each at its own time.
func untilKnown(ctx context.Context, ask func() error) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		err := ask()
		if !errors.Is(err, kerr.UnknownTopicOrPartition) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// settings returns the topic's configuration.
func settings(s topics.Spec, l Layout) map[string]*string {
	c := map[string]string{
		"max.message.bytes":      strconv.Itoa(s.MaxBytes()),
		"message.timestamp.type": "LogAppendTime", // records are ordered by the broker's time, not by a process's clock
	}
	switch {
	case l.Embedded:
		bytes := s.Embedded / int64(l.Partitions(s))
		c["cleanup.policy"] = "delete"
		c["retention.ms"] = "-1"
		c["retention.bytes"] = "-1" // Keeper deletes what every group has read
		c["segment.bytes"] = strconv.FormatInt(min(16<<20, max(1<<20, bytes/8)), 10)
	case s.Retention == 0:
		c["cleanup.policy"] = "compact"
		c["min.compaction.lag.ms"] = ms(time.Hour)
		c["delete.retention.ms"] = ms(7 * 24 * time.Hour)
	default:
		c["cleanup.policy"] = "delete"
		c["retention.ms"] = ms(s.Retention)
	}
	out := map[string]*string{}
	for k, v := range c {
		out[k] = kadm.StringPtr(v)
	}
	return out
}

func ms(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
