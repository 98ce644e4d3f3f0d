package streams

import (
	"context"
	"fmt"
)

// Appended returns the offset after the last record of a partition, committed or
// not. Where it is the same as End, no transaction is open there.
func (l *Log) Appended(ctx context.Context, topic string, partition int32) (int64, error) {
	offsets, err := l.adm.ListEndOffsets(ctx, topic)
	if err == nil {
		err = offsets.Error()
	}
	if err != nil {
		return 0, fmt.Errorf("end offsets of %s: %w", topic, err)
	}
	o, _ := offsets.Lookup(topic, partition)
	return o.Offset, nil
}

// TopicID returns what tells a topic from another one of the same name.
func (l *Log) TopicID(ctx context.Context, topic string) (string, error) {
	d, err := l.adm.ListTopics(ctx, topic)
	if err == nil {
		err = d[topic].Err
	}
	if err != nil {
		return "", fmt.Errorf("list topic %s: %w", topic, err)
	}
	return d[topic].ID.String(), nil
}
