package streams

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"

	"millrace/topics"
)

// Brokers returns the number of brokers that the cluster has now. It waits at most reachWithin.
func Brokers(ctx context.Context, opts Options) (int, error) {
	log, err := NewLog(opts)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	short, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	meta, err := log.adm.BrokerMetadata(short)
	if err != nil && ctx.Err() == nil && !Denied(err) {
		return 0, fmt.Errorf("no Kafka answers at %s (%w): start it first, or name its host and port with --brokers", strings.Join(opts.Brokers, ","), err)
	}
	if err != nil {
		return 0, fmt.Errorf("brokers: %w", err)
	}
	return len(meta.Brokers), nil
}

// ClusterID returns the id of the Kafka cluster.
func (l *Log) ClusterID(ctx context.Context) (string, error) {
	meta, err := l.adm.BrokerMetadata(ctx)
	if err != nil {
		return "", fmt.Errorf("id of the cluster: %w", err)
	}
	return meta.Cluster, nil
}

// CheckProvision returns the first error that Provision would meet, and changes nothing: existing
// topics must have the layout's partition counts, and the brokers must accept the creation of the
// others.
func CheckProvision(ctx context.Context, opts Options, l Layout) error {
	return eachTopic(ctx, opts, l, (*Log).check)
}

func (l *Log) check(ctx context.Context, s topics.Spec, layout Layout) error {
	want := layout.Partitions(s)
	have, err := l.Partitions(ctx, s.Name)
	switch {
	case err == nil && have != want:
		return fmt.Errorf("has %d partitions, not %d: counts are fixed when a topic is made", have, want)
	case err == nil || !errors.Is(err, kerr.UnknownTopicOrPartition):
		return err
	}
	all, err := l.adm.ValidateCreateTopics(ctx, want, layout.Replicas, settings(s, layout), s.Name)
	if err != nil {
		return err
	}
	return all.Error()
}

// CheckForeign returns an error if a topic of the pipeline is there with another cleanup policy
// than Provision would set: then another program made it, and changing it could delete that
// program's records. It is for brokers that no crawl is known to have used.
func CheckForeign(ctx context.Context, opts Options, l Layout) error {
	return eachTopic(ctx, opts, l, (*Log).checkForeign)
}

func (l *Log) checkForeign(ctx context.Context, s topics.Spec, layout Layout) error {
	have, err := l.Cleanup(ctx, s.Name)
	if want := *settings(s, layout)["cleanup.policy"]; err == nil && have != "" && have != want {
		err = fmt.Errorf("is there with cleanup.policy=%s, not %s, and the store knows of no crawl: another program may own it. "+
			"Nothing was changed: use another Kafka, or delete the topic or set its policy if it is of an earlier crawl", have, want)
	}
	return err
}
