package topics

import (
	"time"

	"google.golang.org/protobuf/proto"

	"millrace/schema"
)

// Message is a generated Protobuf message with its fast codec.
type Message interface {
	proto.Message
	SizeVT() int
	MarshalToSizedBufferVT([]byte) (int, error)
	UnmarshalVT([]byte) error
}

// Spec describes a topic, without its Go type.
type Spec struct {
	Name      string
	Message   string // Protobuf message, or "bytes"
	Key       string // the record key
	Route     string // the value whose hash gives the partition; "": the writer sets it
	Count     Count
	Retention time.Duration // on a cluster; 0 = compacted by key
	Embedded  int64         // cap over all partitions with the embedded broker, in bytes
	Bound     Bound         // backpressure: how far a reader may be behind before the writer waits
	Committed bool          // written in transactions on a real Kafka
	About     string
}

// Count says which partition count a topic has.
type Count uint8

// The partition counts: of topics keyed by host (a power of two, may grow), of topics keyed by site
// (never changes), and one.
const (
	PerHost Count = iota
	PerSite
	One
)

// Bound is how many records of one partition a reader may leave unread before the writer waits:
// what the reader handles in Within at its measured speed, but at least Floor records, and at most
// Records or Bytes. Topics that no writer waits on have the zero Bound.
type Bound struct {
	Within  time.Duration
	Floor   int64 // records, also while the speed is not known
	Records int64 // most
	Bytes   int64 // most, estimated from the mean record size; 0: any number
}

// At returns the bound in records, for a reader that handles speed records a second of size bytes
// each; 0 means not known.
func (b Bound) At(speed, size float64) int64 {
	n := min(max(int64(speed*b.Within.Seconds()), b.Floor), b.Records)
	if b.Bytes > 0 && size > 0 {
		n = min(n, int64(float64(b.Bytes)/size))
	}
	return max(n, 1)
}

// Place is a message's record key, route and id.
type Place struct {
	Key   string // record key
	Route string // partition = murmur2(Route) mod count; "" = the sender says
	ID    string // row key@rev: the CloudEvents id, and the trace id's source

	// Urgent: somebody waits for it. A reader that looks ahead handles it, or its partition, before
	// others (Group.Ahead).
	Urgent bool
}

// Topic is a topic with the Go type of its messages.
type Topic[M Message] struct {
	Spec
	New   func() M
	Place func(M) Place
}

// Partition returns the partition of route among n.
func Partition(route string, n int32) int32 { return schema.Partition(route, n) }
