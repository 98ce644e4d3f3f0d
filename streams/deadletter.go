package streams

import (
	"fmt"
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// recordOverhead bounds the bytes of a record besides its key, value and headers, with the batch
// around it.
const recordOverhead = 512

// maxRecord is the largest record, with key and headers, that a Task may send to a topic, in bytes.
func maxRecord(topic string) int { return topics.Spec{Name: topic}.MaxBytes() - recordOverhead }

// size returns an upper bound of the bytes of key, value and headers in a batch.
func (s Send) size() int {
	n := len(s.Key) + len(s.Value)
	for _, h := range s.Headers {
		n += len(h.Key) + len(h.Value) + 2*5 // two lengths
	}
	return n
}

func tooBig(s Send) error {
	return DeadLetter("too_big", "a record of %d bytes for %s: at most %d", s.size(), s.Topic, maxRecord(s.Topic))
}

// maxReason bounds the text of the error in a dead letter.
const maxReason = 2000

// letterOf returns the dead letter for a record that could not be handled: its key, value and
// headers, and headers with its topic, partition, offset, group, and the kind and text of the
// error. If that is more than dead.letters takes, the record's headers are left out, then key and
// value are cut; the header "cut" holds the length of the whole value.
func letterOf(group string, rec *kgo.Record, p *DeadLetterError) Send {
	message := fmt.Sprint(p.Err)
	why := []Header{
		{"topic", []byte(rec.Topic)},
		VersionHeader("partition", int64(rec.Partition)),
		VersionHeader("offset", rec.Offset),
		{"group", []byte(group)},
		{"kind", []byte(p.Kind)},
		{"error", []byte(message[:min(len(message), maxReason)])},
	}
	s := Send{Topic: topics.DeadLetters().Name, Partition: 0, Key: string(rec.Key), Value: rec.Value}
	for _, h := range rec.Headers {
		s.Headers = append(s.Headers, Header(h))
	}
	s.Headers = append(s.Headers, why...)
	most := topics.DeadLetters().MaxBytes() - recordOverhead
	if s.size() <= most {
		return s
	}
	s.Headers = append(why, Header{"cut", strconv.AppendInt(nil, int64(len(rec.Value)), 10)})
	s.Key = s.Key[:min(len(s.Key), topics.MaxRecordBytes/2)]
	if over := s.size() - most; over > 0 {
		s.Value = s.Value[:max(0, len(s.Value)-over)]
	}
	return s
}

// DeadLetter stages a dead letter for a record that was handled in an earlier round and turned out
// to be unusable. It is for Tick; a Handle returns a DeadLetterError instead.
func (p *Partition) DeadLetter(group string, r Raw, kind string, why error) {
	rec := &kgo.Record{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Key: []byte(r.Key), Value: r.Value}
	for _, h := range r.Headers {
		rec.Headers = append(rec.Headers, kgo.RecordHeader(h))
	}
	p.link.Stage(letterOf(group, rec, &DeadLetterError{Kind: kind, Err: why}))
}
