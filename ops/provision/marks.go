package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// marksAtOnce is how many marks are read at the same time.
const marksAtOnce = 16

// Marks keeps the marks of groups in table meta.
func Marks(store state.Store) streams.Marks { return marks{store} }

type marks struct{ store state.Store }

func markKey(group, topic string, partition int32) state.Key {
	return state.Key{state.Str(fmt.Sprintf("log/%s/%s/%d", group, topic, partition))}
}

// Load implements streams.Marks.
func (m marks) Load(ctx context.Context, group, topic string, partitions []int32) (map[int32]streams.Mark, error) {
	var (
		mu     sync.Mutex
		all    sync.WaitGroup
		failed error
		out    = map[int32]streams.Mark{}
		slots  = make(chan struct{}, marksAtOnce)
	)
	for _, p := range partitions {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			row := &schema.LogRow{}
			err := get(ctx, m.store, markKey(group, topic, p), row)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case errors.Is(err, state.ErrNotFound):
			case err != nil:
				failed = errors.Join(failed, err)
			default:
				out[p] = fromRow(group, topic, p, row)
			}
		})
	}
	all.Wait()
	return out, failed
}

// Save implements streams.Marks. The timestamp of a row is its era and the number of the write,
// so that an owner of an earlier era changes nothing.
func (m marks) Save(ctx context.Context, group, topic string, list map[int32]streams.Mark) error {
	var write []state.Mutation
	for p, mark := range list {
		st, err := toRow(mark).MarshalVT()
		if err != nil {
			return err
		}
		write = append(write, state.Mutation{
			Table: schema.Meta, Key: markKey(group, topic, p), TS: int64(state.At(mark.Era, mark.Seq)),
			Cells: state.Cells{state.Bytes(st)},
		})
	}
	if len(write) == 0 {
		return nil
	}
	return m.store.Write(ctx, write)
}

// Changes lists the logs that were cut, made anew or restored, latest change of each group and
// partition only, newest first. It reads one row for each of them, those of all groups at once;
// with an error it returns what could be read.
func Changes(ctx context.Context, store state.Store, l streams.Layout) ([]streams.Change, error) {
	groups := topics.Groups()
	found, failed := make([][]streams.Change, len(groups)), make([]error, len(groups))
	var all sync.WaitGroup
	for i, g := range groups {
		all.Go(func() { found[i], failed[i] = changesOf(ctx, store, l, g) })
	}
	all.Wait()
	out := slices.Concat(found...)
	slices.SortFunc(out, func(a, b streams.Change) int { return b.At.Compare(a.At) })
	return out, errors.Join(failed...)
}

func changesOf(ctx context.Context, store state.Store, l streams.Layout, g topics.Group) (out []streams.Change, err error) {
	spec, err := topics.Named(g.Reads)
	if err != nil {
		return nil, err
	}
	var all []int32
	for p := range l.Partitions(spec) {
		all = append(all, p)
	}
	list, err := Marks(store).Load(ctx, g.Name, g.Reads, all)
	for _, m := range list {
		if m.Changed.Why != "" {
			out = append(out, m.Changed)
		}
	}
	return out, err
}

func fromRow(group, topic string, partition int32, r *schema.LogRow) streams.Mark {
	m := streams.Mark{
		Era: r.Era, Next: r.Next, Limit: r.Limit, Ended: r.Ended, Epoch: r.LeaderEpoch,
		MachineStart: r.MachineStart, Seq: r.Seq,
	}
	copy(m.TopicID[:], r.TopicId)
	if r.Changed != "" {
		m.Changed = streams.Change{
			Group: group, Topic: topic, Partition: partition, Era: r.Era, Why: r.Changed,
			At: time.UnixMilli(r.ChangedAt), From: r.ChangedFrom, To: r.ChangedTo,
		}
	}
	return m
}

func toRow(m streams.Mark) *schema.LogRow {
	r := &schema.LogRow{
		TopicId: m.TopicID[:], Era: m.Era, Next: m.Next, Limit: m.Limit, Ended: m.Ended, LeaderEpoch: m.Epoch,
		MachineStart: m.MachineStart, Seq: m.Seq,
	}
	if m.Changed.Why != "" {
		r.Changed, r.ChangedAt = m.Changed.Why, m.Changed.At.UnixMilli()
		r.ChangedFrom, r.ChangedTo = m.Changed.From, m.Changed.To
	}
	return r
}
