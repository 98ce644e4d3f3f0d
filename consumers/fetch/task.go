package fetch

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"millrace/consumers/fetch/workbench"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// task is the group's work on one partition.
type task struct {
	streams.Plain[*schema.Scheduled]
	f         *Fetcher
	part      *streams.Partition
	out       emitters
	assigned  time.Time
	inherited int64 // records below it are older than the assignment
	held      *held

	ctx    context.Context // ends when the partition is no longer ours
	cancel context.CancelFunc

	mu       sync.Mutex
	stopping bool
	work     sync.WaitGroup // attempts and deferrals; grows under mu only
}

// emitters are the topics that the group writes.
type emitters struct {
	pages, feeds, files streams.Emitter[*schema.Page]
	discovered          streams.Emitter[*schema.Discovered]
}

func newTask(f *Fetcher, p *streams.Partition) *task {
	t := &task{f: f, part: p, held: newHeld(), assigned: time.Now(), out: emitters{
		pages:      streams.NewEmitter(p, Group, topics.Pages()),
		feeds:      streams.NewEmitter(p, Group, topics.Feeds()),
		files:      streams.NewEmitter(p, Group, topics.Files()),
		discovered: streams.NewEmitter(p, Group, topics.Discovered()),
	}}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
}

// Recover sets when the quarantine begins: an earlier owner may have sent a request a moment ago,
// and may have begun any record that it had. If the log was made anew or cut, schedule sends again
// what was in flight, so every record may be such a one.
func (t *task) Recover(ctx context.Context) (offset int64, err error) {
	t.assigned = time.Now()
	if t.part.Era() > 1 {
		t.inherited = math.MaxInt64
	} else if log := t.part.Log(); log != nil {
		t.inherited, err = log.End(ctx, topics.Scheduled().Name, t.part.ID())
	}
	return streams.Committed, err
}

// Handle puts a record on the bench. The record is done when its outcome is acknowledged.
func (t *task) Handle(ctx context.Context, r *streams.Record[*schema.Scheduled]) error {
	u, err := check(r)
	if err != nil {
		return err
	}
	if !t.held.add(r.Value) {
		t.part.Drop("repeat", 1)
		t.part.Done(r.Offset)
		return nil
	}
	if !r.Time.IsZero() {
		t.f.skew.see(time.Now(), r.Time)
	}
	s := r.Value.CloneVT()
	h, err := t.f.hosts.take(ctx, hostID{t.part.ID(), s.PoliteKey})
	if err != nil {
		t.held.remove(s)
		return err
	}
	t.put(&item{task: t, s: s, url: u, host: h, offset: r.Offset, taken: time.Now(), stamp: r.Time})
	return nil
}

// put is the last step of Handle. It cannot fail.
func (t *task) put(it *item) {
	most := t.f.o.MaxHeld
	if !t.f.outage.began().IsZero() {
		most = min(most, probeItems)
	}
	if t.f.bench.Len() >= most {
		t.f.deferred(workbench.Item[*item]{Value: it}, time.Now().Add(t.f.o.Bench.Hold))
		return
	}
	t.f.bench.Add(it.s.PoliteKey, it.clock(), workbench.Item[*item]{
		Partition: t.part.ID(), Offset: it.offset, Class: uint8(min(max(it.s.Class, 0), 255)), Value: it,
		Always: feedLike(it.s.Kind), // feeds and sitemaps do not go to extract
	})
	if t.f.o.Slower != nil {
		t.f.bench.SetDelay(it.s.PoliteKey, it.delay()) // the key may be older than a rule
	}
}

// check makes records that can never be fetched dead letters.
func check(r *streams.Record[*schema.Scheduled]) (schema.URL, error) {
	if r.Tombstone || r.Value == nil {
		return schema.URL{}, streams.DeadLetter("decode", "a record without a value")
	}
	s := r.Value
	if s.PoliteKey == "" || s.Kind < schema.Kind_KIND_UNSPECIFIED || s.Kind > schema.Kind_HUB {
		return schema.URL{}, streams.DeadLetter("enum", "politeness key %q, kind %d", s.PoliteKey, s.Kind)
	}
	if _, err := schema.ParseRowKey(s.RowKey); err != nil {
		return schema.URL{}, streams.DeadLetter("key", "row key %q: %v", s.RowKey, err)
	}
	u, err := new(schema.Canonicalizer).Parse(s.Url)
	if err != nil || string(u.RowKey()) != s.RowKey {
		return schema.URL{}, streams.DeadLetter("key", "row key %q is not that of %q: %v", s.RowKey, s.Url, err)
	}
	return u, nil
}

// Tick holds the partition's pages while extract, schedule or the index is behind. Feeds, sitemaps
// and class 0 go on. While only the readers of files are behind, files are deferred (askpage.go).
func (t *task) Tick(context.Context, time.Time) error {
	t.f.bench.Pause(t.part.ID(), t.part.Eased() || t.part.BehindOn(topics.Pages().Name) || t.part.BehindOn(topics.Feeds().Name))
	return nil
}

// Revoke cancels what is not written, waits for the requests in flight, and ends. After a loss it
// cancels them too.
func (t *task) Revoke(ctx context.Context, lost bool) {
	t.mu.Lock()
	t.stopping = true
	t.mu.Unlock()
	t.f.bench.Revoke(t.part.ID())
	t.f.cancelAttempts(func(a *attempt) bool { return a.it.task == t && (lost || !a.written.Load()) }, errRevoked)
	if !lost {
		t.wait(ctx)
	}
	t.cancel()
	t.f.cancelAttempts(func(a *attempt) bool { return a.it.task == t }, errRevoked)
	late, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // cancelled attempts end quickly
	defer stop()
	t.wait(late)
	t.f.hosts.drop(t.part.ID())
}

var errRevoked = errors.New("the partition was revoked")

func (t *task) wait(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		t.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// begin registers work on the partition; false if it is being revoked.
func (t *task) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopping {
		return false
	}
	t.work.Add(1)
	return true
}

func (t *task) end() { t.work.Done() }

func (t *task) givenUp() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stopping
}
