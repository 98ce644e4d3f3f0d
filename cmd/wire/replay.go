package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"millrace/ops/web"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// replay is the state of the replay of extraction; a process runs at most one.
type replay struct {
	mu      sync.Mutex
	running sync.WaitGroup
	stop    context.CancelFunc
	state   web.Replay
	since   time.Time // when its first batch was kept; zero: not yet
	from    int64     // how many records were read then
}

// The time between two commits of a replay, and the most documents that it appends at once.
const (
	replayKept  = 2 * time.Second
	replayBatch = 64

	replayFinish = 3 * time.Second // for the last one, when the process is asked to stop
)

// PlanReplay returns how much a replay would read, and whether the log still has all of it.
func (s *answers) PlanReplay(ctx context.Context, a web.ReplayAsk) (web.Replay, error) {
	state := web.Replay{ReplayAsk: a, NotBefore: time.Now()}
	if a.Edition <= 1 || a.Edition < s.Config.Edition {
		return state, &web.UserError{Message: fmt.Sprintf("edition: documents are replaced by those of a higher one: name one above that of the documents there are, "+
			"%d at least, the same for all of this replay", max(2, s.Config.Edition))}
	}
	if a.Edition > maxEdition {
		return state, &web.UserError{Message: fmt.Sprintf("edition: at most %d", maxEdition)}
	}
	if !a.From.IsZero() && !a.To.IsZero() && !a.From.Before(a.To) {
		return state, &web.UserError{Message: "from must be before to"}
	}
	for _, t := range replayed() {
		list, err := s.replaySpans(ctx, t, a)
		if err != nil {
			return state, err
		}
		for _, sp := range list {
			state.Total += sp.end - sp.first
			state.Read += sp.at - sp.first
			if !sp.oldest.IsZero() && sp.oldest.Before(state.NotBefore) {
				state.NotBefore = sp.oldest
			}
			state.Lost = state.Lost || sp.lost
		}
	}
	return state, nil
}

// replayed lists the topics that a replay reads.
func replayed() []topics.Topic[*schema.Page] {
	return []topics.Topic[*schema.Page]{topics.Pages(), topics.Files()}
}

// span is the range that a replay reads of one partition.
type span struct {
	partition      int32
	first, at, end int64 // at: where an earlier run of the same replay stopped
	oldest         time.Time
	lost           bool // records before it were deleted
}

// replaySpans returns the range of each partition of a topic.
func (s *answers) replaySpans(ctx context.Context, t topics.Topic[*schema.Page], a web.ReplayAsk) ([]span, error) {
	starts, err := s.Reader.Starts(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	ends, err := s.Reader.Ends(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	from, to := starts, ends
	if !a.From.IsZero() {
		if from, err = s.Reader.Since(ctx, t.Name, a.From); err != nil {
			return nil, err
		}
	}
	if !a.To.IsZero() {
		if to, err = s.Reader.Since(ctx, t.Name, a.To); err != nil {
			return nil, err
		}
	}
	done, err := s.Reader.Committed(ctx, replayGroup(a), t.Name)
	if err != nil {
		return nil, err
	}
	var out []span
	for p, end := range to {
		sp := span{partition: p, first: max(starts[p], from[p]), end: min(end, ends[p])}
		sp.end = max(sp.first, sp.end)
		sp.at = min(max(sp.first, done[p].Offset), sp.end)
		sp.lost = starts[p] > 0 && sp.first == starts[p]
		if sp.oldest, err = s.timeOf(ctx, t.Name, p, sp.first, sp.end); err != nil {
			return nil, err
		}
		out = append(out, sp)
	}
	return out, nil
}

// timeOf returns the time of the first record of a range; zero if it is empty.
func (s *answers) timeOf(ctx context.Context, topic string, p int32, from, end int64) (at time.Time, err error) {
	found := errors.New("found")
	err = s.Reader.Scan(ctx, topic, p, from, end, func(r streams.Raw) error {
		at = r.Time
		return found
	})
	if errors.Is(err, found) {
		err = nil
	}
	return at, err
}

// replayGroup returns the group whose commits hold the progress of a replay. A replay with the same
// edition, times and site goes on where the last one stopped.
func replayGroup(a web.ReplayAsk) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", a.From.UnixMilli(), a.To.UnixMilli(), a.Site))
	return fmt.Sprintf("%s%d-%s", topics.ReplayPrefix, a.Edition, hex.EncodeToString(sum[:4]))
}

// Replay starts to extract fetched pages and files again, as documents of a new edition, in the
// background.
func (s *answers) Replay(ctx context.Context, a web.ReplayAsk) error {
	plan, err := s.PlanReplay(ctx, a)
	if err != nil {
		return err
	}
	r := &s.groups.replay
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Running {
		return &web.UserError{Message: fmt.Sprintf("a replay into edition %d is running already, with %d of %d records read: a process runs one at a time", r.state.Edition, r.state.Read, r.state.Total)}
	}
	plan.Running, plan.Began, plan.Resumed = true, time.Now().UTC(), plan.Read
	work, stop := context.WithCancel(context.Background())
	r.stop, r.state, r.since = stop, plan, time.Time{}
	r.running.Go(func() {
		defer stop()
		err := s.replayAll(work, a)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.state.Running, r.state.Ended = false, time.Now().UTC()
		switch {
		case work.Err() != nil:
			r.state.Error = "the process was stopped; the same replay goes on where it was"
		case err != nil:
			r.state.Error = err.Error()
		}
	})
	return nil
}

// replayAll replays all partitions, one after the other.
func (s *answers) replayAll(ctx context.Context, a web.ReplayAsk) error {
	cfg := s.Config
	cfg.Edition = a.Edition
	worker, err := cfg.extractor(s.Canon, s.Log, "", s.control.Set())
	if err != nil {
		return err
	}
	defer worker.Close()
	out, err := streams.NewProducer(ctx, s.Kafka, "replay", topics.Extracted())
	if err != nil {
		return err
	}
	defer out.Close()
	w := &replayer{answers: s, ask: a, out: out, owner: replayOwner(), work: func(ctx context.Context, p *schema.Page) (*schema.Extracted, error) {
		made, err := worker.Work(ctx, p)
		return made.Extracted, err
	}}
	for _, t := range replayed() {
		list, err := s.replaySpans(ctx, t, a)
		if err != nil {
			return err
		}
		for _, sp := range list {
			if err := w.partition(ctx, t, sp); err != nil {
				return err
			}
		}
	}
	return nil
}

// replayer is a running replay.
type replayer struct {
	*answers
	ask  web.ReplayAsk
	out  *streams.Producer[*schema.Extracted]
	work func(context.Context, *schema.Page) (*schema.Extracted, error)

	owner string // this run of the replay

	batch []*schema.Extracted
	done  int64 // pages replayed since the start
	kept  time.Time
}

// replayOwner names this run of a replay: machine and process, and a number that no other has.
func replayOwner() string {
	host, _ := os.Hostname() // only for people
	return fmt.Sprintf("%s/%d %x", host, os.Getpid(), rand.Uint64())
}

// partition replays the range of one partition, in order and at most at the rate asked for. It
// waits while dedupe is behind.
func (w *replayer) partition(ctx context.Context, t topics.Topic[*schema.Page], sp span) error {
	began, before, at := time.Now(), w.done, sp.at
	if sp.at == sp.end {
		return nil
	}
	if err := w.Reader.CommitAs(ctx, replayGroup(w.ask), t.Name, sp.partition, sp.at, w.owner); err != nil {
		return err
	}
	err := streams.Read(ctx, w.Reader, t, sp.partition, sp.at, sp.end, func(r *streams.Record[*schema.Page]) error {
		mine := r.Value != nil && (w.ask.Site == "" || r.Value.Site == w.ask.Site)
		if mine {
			made, err := w.work(ctx, r.Value)
			if err != nil {
				return err
			}
			w.batch = append(w.batch, made)
			w.done++
		}
		w.count(r.Offset + 1 - at)
		at = r.Offset + 1
		if mine && w.ask.Rate > 0 {
			due := began.Add(time.Duration(float64(w.done-before) / w.ask.Rate * float64(time.Second)))
			if err := pause(ctx, time.Until(due)); err != nil {
				return err
			}
		}
		if len(w.batch) < replayBatch && time.Since(w.kept) < replayKept {
			return nil
		}
		return w.keep(ctx, t.Name, sp.partition, at)
	})
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), w.finish(ctx, t.Name, sp.partition, at))
	}
	if err != nil {
		return err
	}
	w.count(sp.end - at)
	return w.keep(ctx, t.Name, sp.partition, sp.end)
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// keep appends the batch, then commits the progress. After a crash the part since the last commit
// is extracted again, and dedupe ignores documents that it has. If another process began the same
// replay since, it goes on there, and this one ends: two of them would do all of it twice.
func (w *replayer) keep(ctx context.Context, topic string, p int32, at int64) error {
	if err := w.out.Wait(ctx); err != nil {
		return err
	}
	return w.append(ctx, topic, p, at)
}

// finish keeps what was made when the process was asked to stop. dedupe, which it would wait for,
// may have stopped before.
func (w *replayer) finish(ctx context.Context, topic string, p int32, at int64) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), replayFinish)
	defer cancel()
	return w.append(ctx, topic, p, at)
}

func (w *replayer) append(ctx context.Context, topic string, p int32, at int64) error {
	group := replayGroup(w.ask)
	now, err := w.Reader.Owner(ctx, group, topic, p)
	switch {
	case err != nil:
		return err
	case now != w.owner:
		host, _, _ := strings.Cut(now, " ")
		return fmt.Errorf("the same replay was begun by another process (%s), and goes on there", host)
	}
	if len(w.batch) > 0 {
		if err := w.out.Send(ctx, w.batch...); err != nil {
			return err
		}
	}
	w.groups.replay.count(0, int64(len(w.batch)))
	w.batch, w.kept = w.batch[:0], time.Now()
	if err := w.Reader.CommitAs(ctx, group, topic, p, at, w.owner); err != nil {
		return err
	}
	w.groups.replay.atWork()
	return nil
}

func (w *replayer) count(read int64) { w.groups.replay.count(read, 0) }

func (r *replay) count(read, made int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Read += read
	r.state.Made += made
}

// Replaying returns the state of the replay that runs, or of the last one.
func (s *answers) Replaying() web.Replay {
	r := &s.groups.replay
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.state
	out.SecondsLeft = r.left()
	return out
}

// atWork notes that records were replayed and kept; the first of them begin the measured time.
func (r *replay) atWork() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since.IsZero() {
		r.since, r.from = time.Now(), r.state.Read
	}
}

// left returns in how many seconds a running replay ends at the speed since its first batch was
// kept; 0 while that is not known. How long the first batch took, which waits for dedupe and for
// the extraction to begin, says nothing of the speed. r.mu is held.
func (r *replay) left() float64 {
	read := r.state.Read - r.from
	if !r.state.Running || r.since.IsZero() || read <= 0 {
		return 0
	}
	return time.Since(r.since).Seconds() / float64(read) * float64(max(0, r.state.Total-r.state.Read))
}

// close stops a running replay and waits for its end.
func (r *replay) close() {
	r.mu.Lock()
	if r.stop != nil {
		r.stop()
	}
	r.mu.Unlock()
	r.running.Wait()
}
