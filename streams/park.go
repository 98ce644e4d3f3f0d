package streams

import (
	"github.com/twmb/franz-go/pkg/kgo"
)

// Park stages a dead letter for a record that was handled before and could not be used after all.
// It is for Tick: what a Handle cannot use it says by returning Poison.
func (p *Partition) Park(group string, r Raw, kind string, why error) {
	rec := &kgo.Record{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Key: []byte(r.Key), Value: r.Value}
	for _, h := range r.Headers {
		rec.Headers = append(rec.Headers, kgo.RecordHeader(h))
	}
	p.link.Stage(deadLetter(group, rec, &PoisonError{Kind: kind, Err: why}))
}
