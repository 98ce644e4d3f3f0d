package streams

import (
	"github.com/twmb/franz-go/pkg/kgo"
)

// Park stages a dead letter for a record that was handled in an earlier round and turned out to be
// unusable. It is for Tick; a Handle returns Poison instead.
func (p *Partition) Park(group string, r Raw, kind string, why error) {
	rec := &kgo.Record{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Key: []byte(r.Key), Value: r.Value}
	for _, h := range r.Headers {
		rec.Headers = append(rec.Headers, kgo.RecordHeader(h))
	}
	p.link.Stage(deadLetter(group, rec, &PoisonError{Kind: kind, Err: why}))
}
