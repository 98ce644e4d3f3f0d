// Package records reads records of a topic for people and programs: each with its partition,
// offset, time, key, headers and its message as JSON.
//
// # Goals
//
// Whoever asks what a topic holds sees it without a program of their own.
//
// # How it works
//
// Each reads the partitions one after the other, either from the beginning or only the newest
// records, and cuts long texts unless asked for whole ones.
//
// # Promises
//
// It changes nothing, and ends at what the topic held when it began.
//
// # On failure
//
// A value that does not decode is given as text with its error. A partition, an offset beyond the
// end, or a field of a condition that is not there is an AskError.
//
// # Limits
//
// Records that are chosen by key or content, and asked for without a place to begin, are looked for
// among the last 1,000 records of each partition.
package records

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"millrace/streams"
	"millrace/topics"
)

// Options choose records.
type Options struct {
	FromBeginning bool      // else the last N
	Offset        int64     // from here, in one Partition; 0 = not said (FromBeginning says the same)
	Since         time.Time // from what the log took then on; zero = not said
	Key           string    // only records with this key; empty = all
	Where         []Where   // only records that all of these hold for
	Partition     int32     // -1 = all
	N             int       // at most
	Full          bool      // long texts and bodies too; else they are cut
}

// forward reports whether records are wanted from a place on, in order, not the newest ones.
func (o Options) forward() bool { return o.FromBeginning || o.Offset > 0 || !o.Since.IsZero() }

// Record is one record of a topic.
type Record struct {
	Partition int32             `json:"partition"`
	Offset    int64             `json:"offset"`
	Time      time.Time         `json:"time"`
	Key       string            `json:"key"`
	Headers   map[string]string `json:"headers,omitempty"`
	Value     json.RawMessage   `json:"value"` // null = tombstone
}

// Each calls each for the chosen records: from the beginning by partition and offset, else the
// newest ones in the order of their times.
func Each(ctx context.Context, log *streams.Log, topic string, o Options, each func(Record) error) error {
	if _, err := topics.Named(topic); err != nil {
		return err
	}
	if err := o.check(ctx, log, topic); err != nil {
		return err
	}
	if o.forward() {
		return scan(ctx, log, topic, o, each)
	}
	var newest []Record
	per := o
	if o.chooses() {
		per.N = last
	}
	n, err := log.Partitions(ctx, topic)
	for p := int32(0); err == nil && p < n; p++ {
		if o.Partition < 0 || o.Partition == p {
			per.Partition = p
			err = scan(ctx, log, topic, per, func(r Record) error {
				newest = append(newest, r)
				return nil
			})
		}
	}
	if err != nil {
		return err
	}
	slices.SortStableFunc(newest, func(a, b Record) int { return a.Time.Compare(b.Time) })
	for _, r := range newest[max(0, len(newest)-o.N):] {
		if err := each(r); err != nil {
			return err
		}
	}
	return nil
}

// scan calls each for the chosen records, at most N.
func scan(ctx context.Context, log *streams.Log, topic string, o Options, each func(Record) error) error {
	n, err := log.Partitions(ctx, topic)
	if err != nil {
		return err
	}
	left := o.N
	for p := range n {
		if o.Partition >= 0 && o.Partition != p || left == 0 {
			continue
		}
		if err := scanPartition(ctx, log, topic, p, o, &left, each); err != nil {
			return err
		}
	}
	return nil
}

// last is how far back of the end the last records of a partition are looked for.
const last = 1000

func scanPartition(ctx context.Context, log *streams.Log, topic string, p int32, o Options, left *int, each func(Record) error) error {
	end, err := log.End(ctx, topic, p)
	if err != nil {
		return err
	}
	from, err := o.from(ctx, log, topic, p, end)
	if err != nil {
		return err
	}
	done := errDone{}
	err = log.Scan(ctx, topic, p, max(from, 0), end, func(r streams.Raw) error {
		if !o.takes(r) {
			return nil
		}
		if *left == 0 {
			return done
		}
		*left--
		return each(record(r, o.Full))
	})
	if err == error(done) {
		return nil
	}
	return err
}

// chooses reports whether records are left out for what they are.
func (o Options) chooses() bool { return o.Key != "" || len(o.Where) > 0 }

func (o Options) takes(r streams.Raw) bool {
	return (o.Key == "" || r.Key == o.Key) && holds(o.Where, r)
}

// from is the offset that reading begins at in a partition that ends at end.
func (o Options) from(ctx context.Context, log *streams.Log, topic string, p int32, end int64) (int64, error) {
	switch {
	case !o.Since.IsZero():
		at, err := log.Since(ctx, topic, o.Since)
		return at[p], err
	case o.Offset > 0:
		return o.Offset, nil
	case o.FromBeginning:
		return 0, nil
	case o.chooses():
		return end - last, nil
	}
	return end - int64(o.N), nil
}

type errDone struct{}

// Error implements error.
func (errDone) Error() string { return "enough" }

func record(r streams.Raw, full bool) Record {
	out := Record{Partition: r.Partition, Offset: r.Offset, Time: r.Time, Key: r.Key, Value: json.RawMessage("null")}
	for _, h := range r.Headers {
		if out.Headers == nil {
			out.Headers = map[string]string{}
		}
		out.Headers[h.Key] = string(h.Value)
	}
	if r.Value != nil {
		out.Value = value(r, full)
	}
	return out
}

func value(r streams.Raw, full bool) json.RawMessage {
	m, err := topics.Decode(r.Topic, r.Value)
	if err == nil {
		if !full {
			shorten(m.ProtoReflect())
		}
		var b []byte
		if b, err = protojson.Marshal(m); err == nil {
			return b
		}
	}
	text, _ := json.Marshal(map[string]any{"undecoded": string(r.Value[:min(len(r.Value), 200)]), "error": err.Error()})
	return text
}
