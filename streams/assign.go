package streams

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// onFetched keeps the bitmaps of the commits for onAssigned.
func (r *runner[M]) onFetched(_ context.Context, _ *kgo.Client, resp *kmsg.OffsetFetchResponse) error {
	<-r.joined
	keep := func(partition int32, offset int64, metadata *string) {
		if offset < 0 || metadata == nil {
			return
		}
		p, err := ParseProgress(offset, *metadata)
		if err != nil {
			r.log.Warn("commit without its bitmap: some work is repeated", "partition", partition, "error", err)
		}
		r.places.fetch(partition, p)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			keep(p.Partition, p.Offset, p.Metadata)
		}
	}
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				keep(p.Partition, p.Offset, p.Metadata)
			}
		}
	}
	return nil
}

// onAssigned starts the recovery of every new partition. It does not wait: until a
// partition is ready nothing is fetched from it.
func (r *runner[M]) onAssigned(_ context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	var recoveries []func()
	for p, at := range offsets[r.topic.Name] {
		if count := r.counts[r.topic.Name]; p >= count {
			r.guard.fail(&countError{topic: r.topic.Name, have: p + 1, want: count})
			r.wake.now()
			continue
		}
		r.places.pause(r.cl, r.topic.Name, p, true)
		committed := at.EpochOffset().Offset
		w := r.newWork(p)
		w.committed = Progress{Offset: committed}
		before := r.places.add(w)
		ctx, cancel := context.WithCancel(r.sideBy)
		w.recovery = recovery{cancel: cancel, done: make(chan struct{})}
		recoveries = append(recoveries, func() { r.recover(ctx, w, before) })
		// The client only knows partitions that begin somewhere. ready moves it.
		offsets[r.topic.Name][p] = kgo.NewOffset().At(max(committed, 0))
		r.log.Info("partition assigned", "partition", p, "offset", committed)
	}
	for _, fn := range recoveries { // when every Task is made: what they share knows of all
		r.side.Go(fn)
	}
	return offsets, nil
}

func (r *runner[M]) newWork(p int32) *work[M] {
	w := &work[M]{r: r, id: p, born: time.Now(), again: -1}
	w.part = NewPartition(p, r.counts[r.topic.Name], w)
	w.task = r.start(w.part)
	return w
}

// ready returns the works that take part in a round. Those that have recovered
// since the last round begin; those that the client has no more are ended as lost:
// the session of transactions may keep a revocation to itself.
func (r *runner[M]) ready() ([]*work[M], error) {
	assigned := map[int32]bool{}
	for p := range r.cl.CommittedOffsets()[r.topic.Name] {
		assigned[p] = true
	}
	here, gone := r.places.list(assigned, r.cfg.Session)
	if len(gone) > 0 {
		r.end(gone, true)
	}
	begin := map[int32]kgo.EpochOffset{}
	works := here[:0]
	for _, w := range here {
		if !w.ready && w.recovered() {
			w.ready = true
			begin[w.id] = kgo.EpochOffset{Epoch: -1, Offset: w.recovery.begin}
			r.log.Info("partition ready", "partition", w.id, "offset", w.recovery.begin)
		}
		if w.ready {
			works = append(works, w)
		}
	}
	r.seek(begin)
	for p := range begin {
		r.places.pause(r.cl, r.topic.Name, p, false)
	}
	return works, r.guard.failure()
}

// onRevoked ends the Tasks of partitions that go to another member, in order:
// work in hand, then the last commit.
func (r *runner[M]) onRevoked(ctx context.Context, _ *kgo.Client, gone map[string][]int32) {
	<-r.joined
	if len(gone[r.topic.Name]) == 0 {
		return
	}
	r.progress.Lock()
	defer r.progress.Unlock()
	r.commits.finish()
	leaving := r.places.take(gone[r.topic.Name])
	r.end(leaving, false)
	r.endMarks(ctx, leaving)
	r.lostTxn.Store(true)
	r.wake.now()
	if r.txn == nil { // what the Tasks left of their time is not the commit's
		last, cancel := context.WithTimeout(ctx, lastCommit)
		defer cancel()
		r.commit(last, r.unsaved(leaving))
	}
}

// onLost ends the Tasks of partitions that another member may own by now.
func (r *runner[M]) onLost(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
	<-r.joined
	for _, w := range r.places.peek(gone[r.topic.Name]) {
		w.revoked.Store(true) // at once: nothing acts on the outside world any more
	}
	r.progress.Lock()
	defer r.progress.Unlock()
	r.commits.cancel()
	r.end(r.places.take(gone[r.topic.Name]), true)
	r.lostTxn.Store(true)
	r.wake.now()
}

// end ends Tasks, side by side, within the time that there is.
func (r *runner[M]) end(works []*work[M], lost bool) {
	ctx, cancel := context.WithTimeout(context.Background(), r.patience())
	defer cancel()
	var all sync.WaitGroup
	for _, w := range works {
		all.Go(func() { w.leave(ctx, lost) })
		r.places.release(r.cl, r.topic.Name, w.id)
	}
	all.Wait()
}

// lastCommit is how long the commit at the end of a partition may take.
const lastCommit = 2 * time.Second

// patience is how long a Task may take to end: to a rebalance that others wait
// for, or to the end of this process that its user waits for.
func (r *runner[M]) patience() time.Duration {
	if r.leaving.Load() {
		return r.cfg.StopWithin
	}
	return 10 * time.Second
}

// countError says that a topic has another number of partitions than this member
// works with.
type countError struct {
	topic      string
	have, want int32
}

func (e *countError) Error() string {
	return fmt.Sprintf("topic %s has %d partitions or more, this member works with %d: "+
		"records would go to wrong partitions. Stop every process, then provision the new count and start them again", e.topic, e.have, e.want)
}
