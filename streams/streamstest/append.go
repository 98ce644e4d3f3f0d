package streamstest

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/streams"
)

// Append appends what a Recorder kept to the log, in order, each record to its own partition.
func Append(ctx context.Context, opts streams.Options, sends []streams.Send) error {
	cl, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(opts.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
	}, opts.Client...)...)
	if err != nil {
		return err
	}
	defer cl.Close()
	for _, s := range sends {
		r := &kgo.Record{Topic: s.Topic, Partition: s.Partition, Key: []byte(s.Key), Value: s.Value}
		for _, h := range s.Headers {
			r.Headers = append(r.Headers, kgo.RecordHeader(h))
		}
		if err := cl.ProduceSync(ctx, r).FirstErr(); err != nil {
			return err
		}
	}
	return nil
}
