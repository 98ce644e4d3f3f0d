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

// Spec is what can be said of a topic without its Go type.
type Spec struct {
	Name      string
	Message   string // Protobuf message, or "bytes"
	Key       string // what the record key is
	Route     string // what decides the partition
	Count     Count
	Retention time.Duration // on a cluster; 0 = compacted by key
	Embedded  int64         // bytes kept over all partitions in embedded mode
	Bound     Bound         // backpressure: how far its waiting reader may fall behind
	Committed bool          // written in transactions on a real Kafka
	About     string
}

// Count says which of the two partition counts a topic has.
type Count uint8

// The partition counts: of topics keyed by host (a power of two, may grow), of
// topics keyed by site (fixed for life), and one.
const (
	PerHost Count = iota
	PerSite
	One
)

// Bound is how much of one partition may be unread by a group that its writer waits for: what the
// reader does in Within, at the speed that was measured, but at least Floor records and at most
// Records, or Bytes. The zero Bound does not bound.
type Bound struct {
	Within  time.Duration
	Floor   int64 // records, also while the speed is not known
	Records int64 // most
	Bytes   int64 // most, estimated from the mean record size; 0: any number
}

// At returns the most records that may be unread by a reader that does speed records a second, if
// a record has size bytes. Zero for what is not known.
func (b Bound) At(speed, size float64) int64 {
	n := min(max(int64(speed*b.Within.Seconds()), b.Floor), b.Records)
	if b.Bytes > 0 && size > 0 {
		n = min(n, int64(float64(b.Bytes)/size))
	}
	return max(n, 1)
}

// Place is where a message goes.
type Place struct {
	Key   string // record key
	Route string // partition = murmur2(Route) mod count; "" = the sender says
	ID    string // row key@rev: the CloudEvents id and the trace
}

// Topic is a topic and its Go type.
type Topic[M Message] struct {
	Spec
	New   func() M
	Place func(M) Place
}

// Partition returns the partition of route among n.
func Partition(route string, n int32) int32 { return schema.Partition(route, n) }
