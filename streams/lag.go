package streams

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// Lag is how far the groups are behind, at one moment. `millrace lag`, the JSON and the dashboard
// all print this snapshot.
type Lag struct {
	At     time.Time  `json:"at"`
	Groups []GroupLag `json:"groups"`
	Errors []string   `json:"errors,omitempty"` // what could not be read

	// Readers are groups that are not in topics.Groups; Positions leaves them out.
	Readers []GroupLag `json:"readers,omitempty"`
}

// GroupLag is the lag of one group.
type GroupLag struct {
	Group      string         `json:"group"`
	Topic      string         `json:"topic"`
	Records    int64          `json:"records"` // not done, over all partitions
	Seconds    float64        `json:"seconds"` // age of the oldest record that is not done; 0 if there is none
	Partitions []PartitionLag `json:"partitions"`
}

// PartitionLag is the lag of a group in one partition.
type PartitionLag struct {
	Partition int32   `json:"partition"`
	Committed int64   `json:"committed"` // offset of the next record to do; all before it are done
	Ahead     int64   `json:"ahead"`     // number of records done at or above it
	End       int64   `json:"end"`       // offset after the last record, with those of open transactions
	Records   int64   `json:"records"`
	Seconds   float64 `json:"seconds"`
}

// lagPatience bounds one pass over the oldest records.
const lagPatience = 2 * time.Second

// Lag reads how far every group is behind. Transaction markers do not count as lag, because readers
// commit past them. Errors lists what could not be read.
func (l *Log) Lag(ctx context.Context) Lag {
	var lag Lag
	var readers []GroupLag
	err := sideBySide(
		func() error { lag = l.Positions(ctx); return nil },
		func() (err error) { readers, err = l.Readers(ctx); return err },
	)
	lag.Readers = readers
	if err != nil {
		lag.Errors = append(lag.Errors, err.Error())
	}
	if err := l.ageLag(ctx, &lag); err != nil {
		lag.Errors = append(lag.Errors, err.Error())
	}
	return lag
}

// Positions is Lag without the ages of records: it reads no records. All groups are asked about in
// one request, and all ends in another, so that brokers that answer late are waited for once, and a
// crawl that rests is not kept busy by its own watch.
func (l *Log) Positions(ctx context.Context) Lag {
	return l.lagOf(ctx, topics.Groups())
}

// lagOf asks where groups are. The groups need not be on the map.
func (l *Log) lagOf(ctx context.Context, groups []topics.Group) Lag {
	lag := Lag{At: time.Now(), Groups: make([]GroupLag, len(groups))}
	var names, reads []string
	for _, g := range groups {
		names = append(names, g.Name)
		if !slices.Contains(reads, g.Reads) {
			reads = append(reads, g.Reads)
		}
	}
	done := l.commits(ctx, names...)
	// After the commits: a commit that was read is not above the end. Records of transactions that
	// are still open count: they are there, and readers have not had them.
	ends, err := l.adm.ListEndOffsets(ctx, reads...)
	for i, g := range groups {
		var failed error
		if lag.Groups[i], failed = l.groupLag(ctx, g, done, ends, err); failed != nil {
			lag.Errors = append(lag.Errors, failed.Error())
		}
	}
	return lag
}

func (l *Log) groupLag(ctx context.Context, g topics.Group, commits commits, offsets kadm.ListedOffsets, err error) (GroupLag, error) {
	out := GroupLag{Group: g.Name, Topic: g.Reads}
	done, failedCommits := commits.of(g.Name, g.Reads)
	if failedCommits != nil {
		return out, failedCommits
	}
	ends, err := byPartition(kadm.ListedOffsets{g.Reads: offsets[g.Reads]}, err, "end offsets", g.Reads)
	if err != nil {
		return out, err
	}
	var starts map[int32]int64
	if len(done) < len(ends) {
		if starts, err = l.Starts(ctx, g.Reads); err != nil {
			return out, err
		}
	}
	var failed error
	for p := int32(0); int(p) < len(ends); p++ {
		at, ok := done[p]
		if !ok {
			at.Offset = starts[p]
		}
		if at.Offset > ends[p] {
			failed = errors.Join(failed, fmt.Errorf("%s/%d ends at %d, before what %s has read (%d): the log was cut, its lag is not known until the group runs", g.Reads, p, ends[p], g.Name, at.Offset))
		}
		pl := PartitionLag{
			Partition: p, Committed: at.Offset, Ahead: at.Ahead(), End: ends[p],
			Records: max(0, ends[p]-at.Offset-at.Ahead()),
		}
		out.Records += pl.Records
		out.Partitions = append(out.Partitions, pl)
	}
	return out, failed
}

// sideBySide runs functions at the same time and joins their errors.
func sideBySide(list ...func() error) error {
	failed := make([]error, len(list))
	var all sync.WaitGroup
	for i, fn := range list {
		all.Go(func() { failed[i] = fn() })
	}
	all.Wait()
	return errors.Join(failed...)
}

// ageLag reads, for every partition that is behind, the first record that is not done: its age is
// the lag in seconds. Groups that are at different offsets of the same partition are read in
// separate passes, because one client reads a partition from one offset.
func (l *Log) ageLag(ctx context.Context, lag *Lag) error {
	var behind []gap
	for i := range len(lag.Groups) + len(lag.Readers) {
		var g *GroupLag
		if i < len(lag.Groups) {
			g = &lag.Groups[i]
		} else {
			g = &lag.Readers[i-len(lag.Groups)]
		}
		for j := range g.Partitions {
			if g.Partitions[j].Records > 0 {
				behind = append(behind, gap{g, &g.Partitions[j]})
			}
		}
	}
	for len(behind) > 0 {
		var now, later []gap
		from := map[string]map[int32]kgo.Offset{}
		n := 0
		for _, x := range behind {
			at := kgo.NewOffset().At(x.part.Committed)
			other, taken := from[x.group.Topic][x.part.Partition]
			switch {
			case taken && other != at:
				later = append(later, x)
				continue
			case !taken:
				if from[x.group.Topic] == nil {
					from[x.group.Topic] = map[int32]kgo.Offset{}
				}
				from[x.group.Topic][x.part.Partition] = at
				n++
			}
			now = append(now, x)
		}
		times, err := l.firstTimes(ctx, from, n)
		for _, x := range now {
			if t, ok := times[x.group.Topic][x.part.Partition]; ok {
				x.part.Seconds = max(0, lag.At.Sub(t).Seconds())
				x.group.Seconds = max(x.group.Seconds, x.part.Seconds)
			}
		}
		if err != nil {
			return err
		}
		behind = later
	}
	return nil
}

// gap is a partition in which a group is behind.
type gap struct {
	group *GroupLag
	part  *PartitionLag
}

// firstTimes returns, for n partitions, the time of the first record at or after the given offset.
// If that takes longer than lagPatience, it returns what it has, with an error.
func (l *Log) firstTimes(ctx context.Context, from map[string]map[int32]kgo.Offset, n int) (map[string]map[int32]time.Time, error) {
	cl, err := l.opts.client(
		kgo.ConsumePartitions(from),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchMaxPartitionBytes(64<<10),
		kgo.KeepControlRecords(),
	)
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(ctx, lagPatience)
	defer cancel()
	times := map[string]map[int32]time.Time{}
	for n > 0 {
		fetches := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			return times, errors.New("lag in seconds is not known for every partition: the brokers answer slowly")
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if times[r.Topic] == nil {
				times[r.Topic] = map[int32]time.Time{}
			}
			if _, ok := times[r.Topic][r.Partition]; !ok {
				times[r.Topic][r.Partition] = r.Timestamp
				n--
			}
		})
	}
	return times, nil
}

// LagOf is the lag of one group that need not be on the map.
func (l *Log) LagOf(ctx context.Context, g topics.Group) Lag {
	lag := l.lagOf(ctx, []topics.Group{g})
	if err := l.ageLag(ctx, &lag); err != nil {
		lag.Errors = append(lag.Errors, err.Error())
	}
	return lag
}
