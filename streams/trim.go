package streams

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Appended returns the offset after the last record of a partition, committed or not. If it equals
// End, no transaction is open in the partition.
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

// TopicID returns the id of a topic, which differs from that of an earlier topic of the same name.
// It asks the brokers each time: the client's cache may hold the id of a topic that was just
// deleted.
func (l *Log) TopicID(ctx context.Context, topic string) (string, error) {
	t := kmsg.NewMetadataRequestTopic()
	t.Topic = &topic
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, l.cl)
	if err == nil && len(resp.Topics) != 1 {
		err = fmt.Errorf("%d topics in the answer", len(resp.Topics))
	}
	if err == nil {
		err = kerr.ErrorForCode(resp.Topics[0].ErrorCode)
	}
	if err != nil {
		return "", fmt.Errorf("list topic %s: %w", topic, err)
	}
	return kadm.TopicID(resp.Topics[0].TopicID).String(), nil
}
