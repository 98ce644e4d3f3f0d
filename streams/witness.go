package streams

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
)

// witnesses asks the brokers about partitions of a topic: its id, where the partitions begin and
// end, and where the leader epochs end that the marks name.
func (l *Log) witnesses(ctx context.Context, topic string, marks map[int32]Mark) (map[int32]witness, error) {
	list, err := l.adm.ListTopics(ctx, topic)
	if err == nil {
		err = list[topic].Err
	}
	if err != nil {
		return nil, fmt.Errorf("list topic %s: %w", topic, err)
	}
	out := map[int32]witness{}
	for _, p := range list[topic].Partitions {
		out[p.Partition] = witness{topicID: list[topic].ID, copies: len(p.Replicas)}
	}
	if err := l.askBounds(ctx, topic, out); err != nil {
		return nil, err
	}
	return out, l.askEpochs(ctx, topic, marks, out)
}

func (l *Log) askBounds(ctx context.Context, topic string, out map[int32]witness) error {
	starts, err := l.adm.ListStartOffsets(ctx, topic)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return fmt.Errorf("start offsets of %s: %w", topic, err)
	}
	ends, err := l.adm.ListEndOffsets(ctx, topic) // uncommitted records included
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return fmt.Errorf("end offsets of %s: %w", topic, err)
	}
	for p, w := range out {
		start, _ := starts.Lookup(topic, p)
		end, _ := ends.Lookup(topic, p)
		w.start, w.end = start.Offset, end.Offset
		out[p] = w
	}
	return nil
}

func (l *Log) askEpochs(ctx context.Context, topic string, marks map[int32]Mark, out map[int32]witness) error {
	var ask kadm.OffsetForLeaderEpochRequest
	for p, m := range marks {
		if m.Epoch >= 0 {
			ask.Add(topic, p, m.Epoch)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	answers, err := l.adm.OffsetForLeaderEpoch(ctx, ask)
	if err != nil {
		return fmt.Errorf("leader epochs of %s: %w", topic, err)
	}
	for p := range ask[topic] {
		a, ok := answers[topic][p]
		if ok && a.Err != nil {
			return fmt.Errorf("leader epoch of %s/%d: %w", topic, p, a.Err)
		}
		w, known := out[p]
		if !ok || !known {
			return fmt.Errorf("leader epoch of %s/%d: no answer", topic, p)
		}
		w.epoch, w.epochEnd, w.asked = a.LeaderEpoch, a.EndOffset, true
		out[p] = w
	}
	return nil
}
