// Package fold reads docs.unique as a table, for the tests of the whole system.
//
// # Goals
//
// The crash tests, the runs on real servers and the simulator compare the same fold with what the
// index and the web say.
//
// # How it works
//
// Read goes through a partition and keeps the last record of each key. The digest is XOR over the
// hashes of key and value, as dedupe and the index compute it (I3).
//
// # Promises
//
// Two equal successive records of one key are told to the caller (I2).
//
// # On failure
//
// Read returns the error of the log.
//
// # Limits
//
// The keys of a partition are in memory.
package fold

import (
	"context"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// Partition is the fold of one partition of docs.unique.
type Partition struct {
	URLs      []string // of the documents, in no order
	Documents int64
	Digest    uint64
	End       int64 // offset up to which it was read
}

// Read folds a partition from its start to its end, committed records only. It calls twice for each
// record that equals the one before it with the same key.
func Read(ctx context.Context, log *streams.Log, partition int32, twice func(key string, offset int64)) (*Partition, error) {
	topic := topics.Unique()
	end, err := log.End(ctx, topic.Name, partition)
	if err != nil {
		return nil, err
	}
	start, err := log.Start(ctx, topic.Name, partition)
	if err != nil {
		return nil, err
	}
	last := map[string]uint64{} // by key; 0: a tombstone
	err = streams.Read(ctx, log, topic, partition, start, end, func(r *streams.Record[*schema.Unique]) error {
		h := uint64(0)
		if !r.Tombstone {
			h = schema.RecordHash(r.Key, r.Bytes)
		}
		if was, ok := last[r.Key]; ok && was == h {
			twice(r.Key, r.Offset)
		}
		last[r.Key] = h
		return nil
	})
	if err != nil {
		return nil, err
	}
	f := &Partition{End: end}
	for key, h := range last {
		if h != 0 {
			f.URLs = append(f.URLs, schema.RowKey(key).URL())
			f.Documents++
			f.Digest ^= h
		}
	}
	return f, nil
}
