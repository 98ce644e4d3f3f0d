package streams

import "github.com/twmb/franz-go/pkg/kgo"

// counted is a partitioner that uses the partition in the record. If the topic has another number
// of partitions than this member works with, it refuses the record and ends the session.
type counted struct {
	counts map[string]int32
	guard  *guard
}

// ForTopic implements kgo.Partitioner.
func (c counted) ForTopic(topic string) kgo.TopicPartitioner {
	return countedTopic{topic, c.counts[topic], c.guard}
}

type countedTopic struct {
	topic string
	want  int32
	guard *guard
}

// RequiresConsistency implements kgo.TopicPartitioner.
func (countedTopic) RequiresConsistency(*kgo.Record) bool { return true }

// Partition implements kgo.TopicPartitioner. -1 makes the client refuse the record.
func (c countedTopic) Partition(r *kgo.Record, n int) int {
	if int32(n) != c.want {
		c.guard.fail(&countError{topic: c.topic, have: int32(n), want: c.want})
		return -1
	}
	return int(r.Partition)
}
