package streams

// Partition gives a Task access to its partition, to its outputs and to the rest of the log. The
// Task's constructor gets it. Its methods are safe for concurrent use.
type Partition struct {
	id, count int32
	link      Link
}

// Link implements the methods of a Partition: the loop does, and streamstest.Recorder in tests.
type Link interface {
	// Stage adds a record to those that the Handle or Tick under way sends.
	Stage(Send)
	// SendNow appends a record at once and calls done when it is acknowledged or has failed.
	SendNow(s Send, done func(error))
	// Drop counts n records, or parts of records, that end here.
	Drop(reason string, n int)
	// Done marks a record of an Async group as done.
	Done(offset int64)
	// Fresh implements Partition.Fresh.
	Fresh() bool
	// Behind implements Partition.Behind.
	Behind() bool
	// Eased implements Partition.Eased.
	Eased() bool
	// Full implements Partition.Full.
	Full() bool
	// BehindOn implements Partition.BehindOn.
	BehindOn(topic string) bool
	// Era implements Partition.Era.
	Era() int64
	// Log implements Partition.Log.
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

// Era is the era of the log in this partition: 1 for the first log, and one more each time the log
// was cut, made anew or restored. It is set before Recover and stays the same until Revoke. (era,
// offset) identifies a record; state.At makes a write's timestamp of them.
func (p *Partition) Era() int64 { return p.link.Era() }

// Drop counts n records, or parts of records, that end here, by reason. Reasons come from a closed
// list.
func (p *Partition) Drop(reason string, n int) { p.link.Drop(reason, n) }

// Done marks a record of an Async group as done: its outputs are acknowledged. Offsets may be done
// in any order. After Revoke it does nothing.
func (p *Partition) Done(offset int64) { p.link.Done(offset) }

// Fresh reports whether this process may act on the outside world for this partition: it still owns
// it, no rebalance waits for it, and the last heartbeat that was answered is younger than two
// thirds of the session timeout. After a process was stopped for longer, it is false until the
// coordinator has answered twice.
func (p *Partition) Fresh() bool { return p.link.Fresh() }

// Behind reports whether this partition must start nothing new: a group that reads its output
// (topics.Group.Waits) has more unread records than the bound allows, in a partition that this one
// wrote to within the last minute; or, for a Timed group, it is Full or Eased. What is urgent may
// be started, a little at a time, unless Full.
func (p *Partition) Behind() bool { return p.link.Behind() }

// Eased reports whether this partition must start only what is urgent, so that what is urgent does
// not queue behind the rest: Config.Ease says so (the index is behind), or the group
// topics.Group.Eases has more unread in the partition of this number than topics.EaseBound allows.
func (p *Partition) Eased() bool { return p.link.Eased() }

// Full reports whether a Timed group must not start even what is urgent: Config.Hold says so.
func (p *Partition) Full() bool { return p.link.Full() }

// BehindOn is Behind for the readers of one topic only, without Config.Hold: records for other
// topics may go on.
func (p *Partition) BehindOn(topic string) bool { return p.link.BehindOn(topic) }

// Log reads other topics, for Recover.
func (p *Partition) Log() *Log { return p.link.Log() }
