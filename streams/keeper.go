package streams

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"millrace/topics"
)

// keepEvery is the time between two checks of the caps.
const keepEvery = 5 * time.Second

// Keeper keeps the topics of the embedded broker within their caps (topics.Spec.Embedded). It
// deletes the oldest records that every group has read, and no others. Where the unread records
// alone are larger than the cap, the log is full: the groups start nothing new until the readers
// have caught up. Tables (topics without Retention) are compacted instead (compact); docs.unique is
// cleaned by dedupe.
type Keeper struct {
	reader    *Log
	layout    Layout
	log       *slog.Logger
	now       func() time.Time
	followers map[string][]follower
	tables    map[string]map[int32]*table // only Sweep uses it

	mu     sync.Mutex
	filled []Filled
}

// Filled is a partition whose unread records are larger than its cap.
type Filled struct {
	Topic     string
	Partition int32
	Groups    []string // that read it
	Unread    int64    // bytes
	Cap       int64    // bytes
}

// String says it in one line.
func (f Filled) String() string {
	return fmt.Sprintf("the log is full: %d MiB of %s/%d are unread by %v, there is room for %d MiB; the crawl waits for them",
		f.Unread>>20, f.Topic, f.Partition, f.Groups, f.Cap>>20)
}

// NewKeeper returns a Keeper for a log with the partition counts of layout.
func NewKeeper(l *Log, layout Layout, log *slog.Logger) *Keeper {
	return &Keeper{reader: l, layout: layout, log: log, now: time.Now,
		followers: map[string][]follower{}, tables: map[string]map[int32]*table{}}
}

// Full reports whether the log has no room for more.
func (k *Keeper) Full() bool { return len(k.Filled()) > 0 }

// Filled lists the partitions that have no room for more.
func (k *Keeper) Filled() []Filled {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.filled)
}

// Run calls Sweep every keepEvery until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		if err := k.Sweep(ctx); err != nil && ctx.Err() == nil {
			k.log.Warn("the caps of the log were not looked at, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sweep checks all partitions once, and deletes what must go.
func (k *Keeper) Sweep(ctx context.Context) error {
	sizes, err := k.reader.sizes(ctx)
	if err != nil {
		return err
	}
	var filled []Filled
	for _, s := range topics.All() {
		f, err := k.sweep(ctx, s, sizes[s.Name])
		if err != nil {
			return err
		}
		filled = append(filled, f...)
	}
	k.mu.Lock()
	was := len(k.filled)
	k.filled = filled
	k.mu.Unlock()
	if len(filled) > 0 && was == 0 {
		k.log.Warn(filled[0].String())
	}
	if len(filled) == 0 && was > 0 {
		k.log.Info("the log has room again")
	}
	return nil
}

// sweep checks the partitions of a topic. floor and ends are read only if one of them is large.
func (k *Keeper) sweep(ctx context.Context, s topics.Spec, sizes map[int32]int64) ([]Filled, error) {
	most := s.Embedded / int64(k.layout.Partitions(s))
	enough := most
	if s.Retention == 0 {
		enough = most / 4
	}
	var floor, ends map[int32]int64
	var filled []Filled
	for p, size := range sizes {
		if size <= enough {
			continue
		}
		var err error
		if floor == nil {
			if floor, ends, err = k.bounds(ctx, s.Name); err != nil {
				return nil, err
			}
		}
		start, err := k.reader.Start(ctx, s.Name, p)
		if err != nil {
			return nil, err
		}
		o := oldest{start: start, floor: floor[p], end: ends[p], size: size, most: most}
		if unread := o.unread(); unread > most {
			filled = append(filled, Filled{Topic: s.Name, Partition: p, Groups: k.readers(s.Name), Unread: unread, Cap: most})
		}
		if err := k.shrink(ctx, s, p, o); err != nil {
			return nil, err
		}
	}
	return filled, nil
}

// shrink deletes the oldest records of a partition that may go.
func (k *Keeper) shrink(ctx context.Context, s topics.Spec, p int32, o oldest) error {
	switch {
	case s.Name == topics.Unique().Name: // dedupe cleans it
		return nil
	case s.Retention == 0:
		return k.compact(ctx, k.table(s.Name, p), o)
	}
	if to := o.deleteTo(); to > o.start {
		return k.reader.DeleteRecords(ctx, s.Name, p, to)
	}
	return nil
}

func (k *Keeper) table(topic string, p int32) *table {
	if k.tables[topic] == nil {
		k.tables[topic] = map[int32]*table{}
	}
	if k.tables[topic][p] == nil {
		k.tables[topic][p] = &table{topic: topic, partition: p}
	}
	return k.tables[topic][p]
}

// bounds returns, by partition, the offset that all groups and followers of a topic have reached,
// and the end.
func (k *Keeper) bounds(ctx context.Context, topic string) (floor, ends map[int32]int64, err error) {
	if floor, err = k.reader.Floor(ctx, topic); err != nil {
		return nil, nil, err
	}
	for _, f := range k.followers[topic] {
		at := f.at()
		for p := range floor {
			floor[p] = min(floor[p], at[p])
		}
	}
	ends, err = k.reader.Ends(ctx, topic)
	return floor, ends, err
}

// readers names the groups and followers of a topic.
func (k *Keeper) readers(topic string) (names []string) {
	for _, g := range topics.Readers(topic) {
		names = append(names, g.Name)
	}
	for _, f := range k.followers[topic] {
		names = append(names, f.group)
	}
	return names
}

// oldest is a partition that is larger than its cap. It estimates the sizes of parts from the mean
// size of the records.
type oldest struct {
	start, floor, end int64 // offsets
	size, most        int64 // bytes
}

func (o oldest) mean() float64 { return float64(o.size) / float64(max(o.end-o.start, 1)) }

// unread estimates the bytes of the records that at least one group has not done.
func (o oldest) unread() int64 { return int64(float64(o.end-max(o.floor, o.start)) * o.mean()) }

// deleteTo returns the offset before which records are to be deleted. The last record always stays:
// after a kill, the embedded broker would take a partition without records for a new one.
func (o oldest) deleteTo() int64 {
	enough := o.start + int64(float64(o.size-o.most)/o.mean()) + 1
	return min(enough, o.floor, o.end-1)
}

// sizes returns the bytes of every partition on disk.
func (l *Log) sizes(ctx context.Context) (map[string]map[int32]int64, error) {
	var set kadm.TopicsSet
	for _, s := range topics.All() {
		n, err := l.Partitions(ctx, s.Name)
		if err != nil {
			return nil, err
		}
		for p := range n {
			set.Add(s.Name, p)
		}
	}
	dirs, err := l.adm.DescribeAllLogDirs(ctx, set)
	if err != nil {
		return nil, fmt.Errorf("sizes of topics: %w", err)
	}
	out := map[string]map[int32]int64{}
	dirs.Each(func(dir kadm.DescribedLogDir) {
		if dir.Err != nil {
			err = errors.Join(err, dir.Err)
		}
		dir.Topics.Each(func(d kadm.DescribedLogDirPartition) {
			if out[d.Topic] == nil {
				out[d.Topic] = map[int32]int64{}
			}
			out[d.Topic][d.Partition] += d.Size
		})
	})
	return out, err
}
