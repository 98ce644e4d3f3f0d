package streams

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"millrace/topics"
)

// Send is one record on its way to a topic.
type Send struct {
	Topic     string
	Partition int32 // AnyPartition = by Route
	Route     string
	Key       string
	Value     []byte // nil = tombstone
	Headers   []Header
}

// AnyPartition as a Send's Partition means: the partition follows from its Route.
const AnyPartition int32 = -1

// Emitter appends messages to one topic for the Task of one partition.
type Emitter[M topics.Message] struct {
	p      *Partition
	topic  topics.Topic[M]
	source string
}

// NewEmitter returns an emitter for a topic. The topic must be in the group's Writes
// (topics.Groups), else staging a record for it is a DeadLetterError.
func NewEmitter[M topics.Message](p *Partition, group string, t topics.Topic[M]) Emitter[M] {
	return Emitter[M]{p: p, topic: t, source: "millrace/" + group}
}

// Send stages a message: it is appended after Handle or Tick has returned without an error, and
// acknowledged before Settle is called.
func (e Emitter[M]) Send(m M) { e.p.link.Stage(e.send(m)) }

// SendTo stages a message for a given partition.
func (e Emitter[M]) SendTo(partition int32, m M) {
	s := e.send(m)
	s.Partition = partition
	e.p.link.Stage(s)
}

// Tombstone stages the deletion of a key, in a given partition.
func (e Emitter[M]) Tombstone(partition int32, key, id string, headers ...Header) {
	s := Send{Topic: e.topic.Name, Partition: partition, Key: key}
	s.Headers = append(eventHeaders(id, e.topic.Message, e.source, time.Now()), headers...)
	e.p.link.Stage(s)
}

// Copy stages a record that is in the topic already once more, byte for byte, for a given
// partition.
func (e Emitter[M]) Copy(partition int32, key string, value []byte, headers ...Header) {
	e.p.link.Stage(Send{Topic: e.topic.Name, Partition: partition, Key: key, Value: value, Headers: headers})
}

// SendNow appends a message at once and calls done when it is acknowledged, or with an error when
// it failed. It may be called from any goroutine. It is for Async groups.
func (e Emitter[M]) SendNow(m M, done func(error)) { e.p.link.SendNow(e.send(m), done) }

func (e Emitter[M]) send(m M) Send {
	place := e.topic.Place(m)
	return Send{
		Topic: e.topic.Name, Partition: AnyPartition, Route: place.Route, Key: place.Key,
		Value:   Encode(m),
		Headers: urgentHeaders(eventHeaders(place.ID, e.topic.Message, e.source, time.Now()), place),
	}
}

// Encode returns a message's bytes. Encoding is deterministic.
func Encode(m topics.Message) []byte {
	b := make([]byte, m.SizeVT())
	n, err := m.MarshalToSizedBufferVT(b)
	if err != nil { // happens only if the buffer is too small, and it has the right size
		return nil
	}
	return b[len(b)-n:]
}

// eventHeaders returns the CloudEvents attributes (Kafka protocol binding, binary mode) and the W3C
// trace context. The trace id is a hash of the event id, row key@rev, so that all records of one
// attempt have the same trace id without copying it from record to record. All values share one
// array, to save allocations.
func eventHeaders(id, message, source string, now time.Time) []Header {
	b := make([]byte, 0, 160+len(id)+len(message)+len(source))
	value := func(from int) []byte { return b[from:len(b):len(b)] }
	add := func(s string) []byte {
		from := len(b)
		b = append(b, s...)
		return value(from)
	}
	h := append(make([]Header, 0, eventHeaderCount+1), // room for one of the caller's
		Header{"ce_specversion", add("1.0")},
		Header{"ce_id", add(id)},
		Header{"ce_type", add(message)},
		Header{"ce_source", add(source)},
	)
	from := len(b)
	b = now.UTC().AppendFormat(b, time.RFC3339Nano)
	h = append(h, Header{"ce_time", value(from)}, Header{"content-type", add("application/protobuf")})
	from = len(b)
	b = appendTrace(b, id, message)
	return append(h, Header{"traceparent", value(from)})
}

const eventHeaderCount = 7

// appendTrace appends a traceparent: the trace id is a hash of id, the span id a hash of id and
// message.
func appendTrace(b []byte, id, message string) []byte {
	hashed := append(make([]byte, 0, 512), id...)
	trace := sha256.Sum256(hashed)
	span := sha256.Sum256(append(hashed, message...))
	b = append(b, "00-"...)
	b = hex.AppendEncode(b, trace[:16])
	b = append(b, '-')
	b = hex.AppendEncode(b, span[:8])
	return append(b, "-01"...)
}

// VersionHeader returns a header with a decimal number: a version (rev or edition), an offset, a
// partition.
func VersionHeader(name string, v int64) Header {
	return Header{Key: name, Value: strconv.AppendInt(nil, v, 10)}
}
