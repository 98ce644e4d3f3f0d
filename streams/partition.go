package streams

// Partition is a Task's view of the partition it works on, and of the rest of
// the log. It is handed to the constructor of the Task. Its methods are safe for
// concurrent use.
type Partition struct {
	id, count int32
	link      Link
}

// Link is what stands behind a Partition: the loop, or a recorder in tests.
type Link interface {
	// Stage adds a send to those of the Handle or Tick at work.
	Stage(Send)
	// SendNow appends at once and calls done when it is acknowledged or failed.
	SendNow(s Send, done func(error))
	// Drop counts n things that end here.
	Drop(reason string, n int)
	// Done finishes a record of an Async group.
	Done(offset int64)
	// Fresh is what Partition.Fresh returns.
	Fresh() bool
	// Behind is what Partition.Behind returns.
	Behind() bool
	// BehindOn is what Partition.BehindOn returns.
	BehindOn(topic string) bool
	// Era is the era of the log that the group reads here.
	Era() int64
	// Log reads other topics.
	Log() *Log
}

// NewPartition returns the view of partition id of count.
func NewPartition(id, count int32, l Link) *Partition {
	return &Partition{id: id, count: count, link: l}
}

// ID is the partition's number.
func (p *Partition) ID() int32 { return p.id }

// Count is the number of partitions of the topic that the group reads.
func (p *Partition) Count() int32 { return p.count }

// Era is the era of the log that the group reads at this partition: 1 for the
// first log, and one more each time the log was cut, made anew or restored. It is
// known before Recover and stays the same until Revoke. A record is named by
// (era, offset): state.At makes a write's timestamp of the two.
func (p *Partition) Era() int64 { return p.link.Era() }

// Drop counts n records, or parts of records, that end here with a reason of a
// closed list.
func (p *Partition) Drop(reason string, n int) { p.link.Drop(reason, n) }

// Done tells that a record of an Async group is finished: its outputs are
// acknowledged. Offsets may be done in any order. After Revoke it does nothing.
func (p *Partition) Done(offset int64) { p.link.Done(offset) }

// Fresh reports whether this process may act on the outside world for this
// partition: it still owns it, no rebalance waits for it, and its last good
// heartbeat is younger than two thirds of the session timeout. A process that was
// stopped finds false, until the group has answered it twice.
func (p *Partition) Fresh() bool { return p.link.Fresh() }

// Behind reports whether this partition must start nothing new: a reader of what it writes forward
// has more unread records than the bound allows, in a partition that this one writes to; or the log
// is full.
func (p *Partition) Behind() bool { return p.link.Behind() }

// BehindOn is Behind for one topic that the group writes: records for other topics may go on.
func (p *Partition) BehindOn(topic string) bool { return p.link.BehindOn(topic) }

// Log reads other topics, for Recover.
func (p *Partition) Log() *Log { return p.link.Log() }
