package streams

import (
	"context"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/topics"
)

// committer commits offsets for groups without transactions. At most one commit is under way at a
// time. It runs in a goroutine beside the loop, because the client delays a commit while its group
// rebalances.
type committer[M topics.Message] struct {
	*member
	last  time.Time     // when the last commit began
	done  chan struct{} // closed when that commit has ended; nil before the first
	abort context.CancelFunc
}

// busy reports whether a commit is under way.
func (c *committer[M]) busy() bool {
	if c.done == nil {
		return false
	}
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// finish waits for the commit under way, at most lastCommit; then it cancels it.
func (c *committer[M]) finish() {
	if !c.busy() {
		return
	}
	timer := time.NewTimer(lastCommit)
	defer timer.Stop()
	select {
	case <-c.done:
	case <-timer.C:
		c.cancel()
	}
}

// cancel cancels the commit under way and waits for its goroutine.
func (c *committer[M]) cancel() {
	if c.busy() {
		c.abort()
		<-c.done
	}
}

// savedProgress is the commit of a partition that the brokers acknowledged last.
type savedProgress struct {
	offset   int64
	metadata string
}

// saved holds a savedProgress. The goroutine of a commit sets it, the loop reads it.
type saved struct {
	mu sync.Mutex
	p  savedProgress
}

func (s *saved) get() savedProgress {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.p
}

func (s *saved) set(p savedProgress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.p = p
}

// start begins a commit of the progress that the brokers have not acknowledged, at most once per
// CommitEvery. A commit that is refused is repeated, because only the brokers' answer marks
// progress as saved.
func (c *committer[M]) start(works []*work[M]) {
	if time.Since(c.last) < c.cfg.CommitEvery || c.busy() {
		return
	}
	c.last = time.Now()
	p := unsaved(works)
	if len(p) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(c.side.ctx, c.cfg.Session)
	done := make(chan struct{})
	c.done, c.abort = done, cancel
	c.side.Go(func() {
		defer close(done)
		defer cancel()
		c.commit(ctx, p)
	})
}

// unsaved returns the progress that the brokers have not acknowledged.
func unsaved[M topics.Message](works []*work[M]) map[*work[M]]savedProgress {
	out := map[*work[M]]savedProgress{}
	for _, w := range works {
		if !w.ready {
			continue
		}
		p := w.track.progress()
		s := savedProgress{p.Offset, p.Metadata()}
		if s != w.saved.get() {
			out[w] = s
		}
	}
	return out
}

// commit commits progress and waits for the answer. The loop repeats a commit that fails; if the
// partition is revoked before that, its new owner repeats work.
func (c *committer[M]) commit(ctx context.Context, progress map[*work[M]]savedProgress) {
	if len(progress) == 0 {
		return
	}
	offsets := map[int32]kgo.EpochOffset{}
	metadata := map[int32]string{}
	for w, p := range progress {
		offsets[w.id], metadata[w.id] = kgo.EpochOffset{Epoch: -1, Offset: p.offset}, p.metadata
	}
	ctx = kgo.PreCommitFnContext(ctx, func(req *kmsg.OffsetCommitRequest) error {
		for i := range req.Topics {
			for j := range req.Topics[i].Partitions {
				p := &req.Topics[i].Partitions[j]
				m := metadata[p.Partition]
				p.Metadata = &m
			}
		}
		return nil
	})
	acked := map[int32]bool{}
	c.cl.CommitOffsetsSync(ctx, map[string]map[int32]kgo.EpochOffset{c.reads: offsets},
		func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
			acked = c.acknowledged(resp, err)
		})
	for w, p := range progress {
		if acked[w.id] {
			w.saved.set(p)
		}
	}
	c.cfg.Meter.count(c.spec.Name, "commits", "", 1) // after the answer: who waits for this count finds the commit at the broker
}

// acknowledged returns the partitions whose commit the brokers accepted.
func (c *committer[M]) acknowledged(resp *kmsg.OffsetCommitResponse, err error) map[int32]bool {
	out := map[int32]bool{}
	if err != nil {
		c.refused(-1, err)
		return out
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				c.refused(p.Partition, err)
				continue
			}
			out[p.Partition] = true
		}
	}
	return out
}

func (c *committer[M]) refused(partition int32, err error) {
	c.cfg.Meter.count(c.spec.Name, "refused_commits", "", 1)
	c.log.Warn("commit refused: it is repeated", "partition", partition, "error", err)
	if refused(err) {
		c.guard.fail(err)
	}
}
