package state

// Stamp is the timestamp of a write: the era and offset of the record that it follows from. A later
// record of the same log, and every record of a later era, has a higher Stamp; the store keeps the
// write with the highest.
type Stamp int64

// stampOffsetBits is the number of low bits of a Stamp that hold the offset.
const stampOffsetBits = 44

// At returns the Stamp of a record. Eras are 1 to 100 (ScyllaDB refuses
// timestamps more than three days ahead of its clock); offsets are below 1 << 44.
func At(era, offset int64) Stamp { return Stamp(era<<stampOffsetBits | offset) }

// Era is the era of the log that contains the record.
func (s Stamp) Era() int64 { return int64(s) >> stampOffsetBits }

// Offset is the record's offset in its partition.
func (s Stamp) Offset() int64 { return int64(s) & (1<<stampOffsetBits - 1) }
