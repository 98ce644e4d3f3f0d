package streams

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/topics"
)

// tasks starts and ends the Tasks of the partitions that a member is assigned. It implements the
// client's rebalance callbacks.
type tasks[M topics.Message] struct {
	*member
	places[M]
	r        *runner[M]
	start    func(*Partition) Task[M]
	progress sync.Mutex  // held by a round, and by the callbacks that end Tasks
	leaving  atomic.Bool // the member is leaving the group
}

// callbacks returns the client options for the rebalance callbacks.
func (t *tasks[M]) callbacks() []kgo.Opt {
	return []kgo.Opt{
		kgo.OnOffsetsFetched(t.onFetched),
		kgo.AdjustFetchOffsetsFn(t.onAssigned),
		kgo.OnPartitionsRevoked(t.onRevoked),
		kgo.OnPartitionsLost(t.onLost),
	}
}

// pause stops or resumes the fetching of a partition.
func (t *tasks[M]) pause(p int32, on bool) { t.places.pause(t.cl, t.reads, p, on) }

// onFetched keeps the commits, with their bitmaps, for onAssigned.
func (t *tasks[M]) onFetched(_ context.Context, _ *kgo.Client, resp *kmsg.OffsetFetchResponse) error {
	<-t.joined
	keep := func(partition int32, offset int64, metadata *string) {
		if offset < 0 || metadata == nil {
			return
		}
		p, err := ParseProgress(offset, *metadata)
		if err != nil {
			t.log.Warn("commit without its bitmap: some work is repeated", "partition", partition, "error", err)
		}
		t.fetch(partition, p)
	}
	for _, x := range resp.Topics {
		for _, p := range x.Partitions {
			keep(p.Partition, p.Offset, p.Metadata)
		}
	}
	for _, g := range resp.Groups {
		for _, x := range g.Topics {
			for _, p := range x.Partitions {
				keep(p.Partition, p.Offset, p.Metadata)
			}
		}
	}
	return nil
}

// onAssigned starts the recovery of every new partition and does not wait for it. The partition is
// paused, so that nothing is fetched from it before it is ready.
func (t *tasks[M]) onAssigned(_ context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	var recoveries []func()
	for p, at := range offsets[t.reads] {
		if count := t.counts[t.reads]; p >= count {
			t.guard.fail(&countError{topic: t.reads, have: p + 1, want: count})
			t.wake.now()
			continue
		}
		t.pause(p, true)
		committed := at.EpochOffset().Offset
		w := t.newWork(p)
		w.committed = Progress{Offset: committed}
		before := t.add(w)
		ctx, cancel := context.WithCancel(t.side.ctx)
		w.recovery = recovery{cancel: cancel, done: make(chan struct{})}
		recoveries = append(recoveries, func() { t.recover(ctx, w, before) })
		// The client needs an offset; ready sets the right one.
		offsets[t.reads][p] = kgo.NewOffset().At(max(committed, 0))
		t.log.Info("partition assigned", "partition", p, "offset", committed)
	}
	for _, fn := range recoveries { // after every Task is made, so that what they share knows all partitions
		t.side.Go(fn)
	}
	return offsets, nil
}

func (t *tasks[M]) newWork(p int32) *work[M] {
	w := &work[M]{r: t.r, id: p, born: time.Now(), again: -1}
	w.part = NewPartition(p, t.counts[t.reads], w)
	w.task = t.start(w.part)
	return w
}

// ready returns the works that take part in a round. It begins those that have recovered since the
// last round, and ends as lost those whose partitions the client has no more: kgo's transaction
// session does not report every revocation. Its error is guard.failure.
func (t *tasks[M]) ready() ([]*work[M], error) {
	assigned := map[int32]bool{}
	for p := range t.cl.CommittedOffsets()[t.reads] {
		assigned[p] = true
	}
	here, gone := t.list(assigned, t.cfg.Session)
	if len(gone) > 0 {
		t.lose(gone)
	}
	begin := map[int32]kgo.EpochOffset{}
	works := here[:0]
	for _, w := range here {
		if !w.ready && w.recovered() {
			w.ready = true
			begin[w.id] = kgo.EpochOffset{Epoch: -1, Offset: w.recovery.begin}
			t.log.Info("partition ready", "partition", w.id, "offset", w.recovery.begin)
		}
		if w.ready {
			works = append(works, w)
		}
	}
	t.seek(begin)
	for p := range begin {
		t.pause(p, false)
	}
	return works, t.guard.failure()
}

// onRevoked ends the Tasks of partitions that go to another member, in order: it waits for the
// round under way, revokes the Tasks, writes their marks, then commits their progress.
func (t *tasks[M]) onRevoked(ctx context.Context, _ *kgo.Client, gone map[string][]int32) {
	<-t.joined
	if len(gone[t.reads]) == 0 {
		return
	}
	t.progress.Lock()
	defer t.progress.Unlock()
	t.r.commits.finish()
	leaving := t.take(gone[t.reads])
	t.end(leaving, false)
	t.r.marks.end(ctx, leaving)
	t.r.txns.went.Store(true)
	t.wake.now()
	if !t.r.txns.used() { // a time of its own, whatever the Tasks took
		last, cancel := context.WithTimeout(ctx, lastCommit)
		defer cancel()
		t.r.commits.commit(last, unsaved(leaving))
	}
}

// onLost ends the Tasks of partitions that another member may own already. Nothing is committed for
// them.
func (t *tasks[M]) onLost(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
	<-t.joined
	for _, w := range t.peek(gone[t.reads]) {
		w.revoked.Store(true) // before the round ends: Fresh is false from here on
	}
	t.progress.Lock()
	defer t.progress.Unlock()
	t.r.commits.cancel()
	t.lose(t.take(gone[t.reads]))
	t.r.txns.went.Store(true)
	t.wake.now()
}

// dropAll ends all Tasks as lost, whatever the client thinks of their partitions.
func (t *tasks[M]) dropAll() {
	t.progress.Lock()
	defer t.progress.Unlock()
	t.r.commits.cancel()
	t.lose(t.all())
}

// lose ends Tasks as lost, and writes the marks, which say how far they read: so a broker that dies
// and comes back with all of that raises no era. The marks of a new owner stand above them.
func (t *tasks[M]) lose(works []*work[M]) {
	t.end(works, true)
	t.r.marks.end(context.Background(), works)
}

// end ends Tasks, all at the same time, within patience.
func (t *tasks[M]) end(works []*work[M], lost bool) {
	ctx, cancel := context.WithTimeout(context.Background(), t.patience())
	defer cancel()
	var all sync.WaitGroup
	for _, w := range works {
		all.Go(func() { w.leave(ctx, lost) })
		t.places.release(t.cl, t.reads, w.id)
	}
	all.Wait()
}

// lastCommit bounds the last commit of a partition that is revoked.
const lastCommit = 2 * time.Second

// patience is how long Tasks may take to end: 10 s in a rebalance, for which the other members
// wait; StopWithin when the member leaves.
func (t *tasks[M]) patience() time.Duration {
	if t.leaving.Load() {
		return t.cfg.StopWithin
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
