package opensearch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// eraBits is how many bits of a version are the offset; the era is above them.
const eraBits = 44

// noteEvery is the shortest time between two saves of a partition's progress.
const noteEvery = 2 * time.Second

// Tap is the group in one process.
type Tap struct {
	client *client
	group  topics.Group
	log    *slog.Logger
	meter  *streams.Meter

	mu      sync.Mutex
	trouble map[int32]error // by partition: why its last request failed
}

// New returns the group, and creates the indices if they do not exist.
func New(ctx context.Context, o Options, log *slog.Logger, meter *streams.Meter) (*Tap, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	t := &Tap{client: newClient(o), meter: meter, trouble: map[int32]error{}, group: topics.Group{
		Name: topics.TapPrefix + "opensearch-" + o.Index, Reads: topics.Unique().Name, Delivery: topics.Own,
		About: "keeps an index of OpenSearch equal to docs.unique",
	}}
	t.log = log.With("group", t.group.Name)
	return t, t.client.prepare(ctx)
}

// Failure returns why documents are not sent now; nil: nothing failed since some last were.
func (t *Tap) Failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range slices.Sorted(maps.Keys(t.trouble)) {
		return fmt.Errorf("partition %d: %w", p, t.trouble[p])
	}
	return nil
}

// tell notes whether the last request of a partition failed.
func (t *Tap) tell(partition int32, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if delete(t.trouble, partition); err != nil {
		t.trouble[partition] = err
		t.count("tap_failures", 1)
	}
}

func (t *Tap) count(what string, n int64) {
	t.meter.Add(streams.Count{Group: t.group.Name, What: what}, n)
}

// Group is the consumer group.
func (t *Tap) Group() topics.Group { return t.group }

// Run is a member of the group until ctx ends.
func (t *Tap) Run(ctx context.Context, cfg streams.Config) error {
	cfg.Marks = nil // the progress index says which log was read
	topic := topics.Unique()
	topic.Place = func(*schema.Unique) topics.Place { return topics.Place{} } // nothing is appended again
	for {
		err := streams.Run(ctx, cfg, t.group, topic, t.Task)
		if gone := (indexGoneError{}); !errors.As(err, &gone) || ctx.Err() != nil {
			return err
		}
		t.log.Error("beginning again", "error", err)
	}
}

// Task returns the Task of a partition: the start function of streams.Run.
func (t *Tap) Task(p *streams.Partition) streams.Task[*schema.Unique] { return &task{tap: t, p: p} }

// task brings the records of one partition into the index.
type task struct {
	tap *Tap
	p   *streams.Partition

	at      progress
	pending []streams.Raw // handled and not in the index yet
	ops     []op
	next    int64 // offset after the newest record that was handled
	last    *lastRecord

	refused []dead    // the next Tick puts them on dead.letters
	staged  bool      // the Tick did; at the next Settle they are acknowledged
	noted   time.Time // when progress was saved
	pause   pause
	looked  time.Time // when it was last asked whether the index is the one that was filled
}

// pause is the time in which no request is sent.
type pause struct {
	wait  time.Duration // the last one
	until time.Time
}

// longer begins a pause of twice the last one, from first up to 30 s.
func (p *pause) longer(first time.Duration) {
	p.wait = min(max(first, 2*p.wait), 30*time.Second)
	p.until = time.Now().Add(p.wait)
}

// dead is a record that OpenSearch refused.
type dead struct {
	record streams.Raw
	why    error
}

// Recover reads how far the partition is. If the topic is another one, ends before that, or has
// another record where the last one was, its log is read from the start as a new era.
func (t *task) Recover(ctx context.Context) (int64, error) {
	log, name := t.p.Log(), topics.Unique().Name
	id, err := log.TopicID(ctx, name)
	if err != nil {
		return 0, err
	}
	end, err := log.End(ctx, name, t.p.ID())
	if err != nil {
		return 0, err
	}
	start, err := log.Start(ctx, name, t.p.ID())
	if err != nil {
		return 0, err
	}
	had, err := t.tap.client.load(ctx, t.p.ID())
	if err != nil {
		return 0, err
	}
	if err := t.tap.client.prepare(ctx); err != nil { // the index may have gone since the start
		return 0, err
	}
	index, err := t.tap.client.uuid(ctx)
	if err != nil {
		return 0, err
	}
	t.at = progress{TopicID: id, Era: 1, Next: start, Index: index}
	if had != nil && had.Index != "" && had.Index != index { // documents that were sent are not there
		t.at.Era = had.Era
		t.tap.log.Error("the index was made anew: the log is read from its beginning", "partition", t.p.ID(), "index", t.tap.client.opts.Index)
	} else if had != nil {
		t.at.Era, t.at.Next = had.Era, max(had.Next, start)
		same := had.TopicID == id && had.Next <= end
		if same {
			if same, err = t.holds(ctx, start, had.Last); err != nil {
				return 0, err
			}
			t.at.Last = had.Last
		}
		if !same {
			t.at.Era, t.at.Next = had.Era+1, start
			t.tap.log.Error("the log changed: it is read from its beginning, as a new era", "partition", t.p.ID(), "era", t.at.Era)
		}
	}
	t.next, t.last = t.at.Next, t.at.Last
	t.tap.tell(t.p.ID(), nil)
	return t.at.Next, t.tap.client.save(ctx, t.p.ID(), t.at)
}

// holds reports whether the log still has a record. If it was deleted or compacted away, the answer
// is yes.
func (t *task) holds(ctx context.Context, start int64, last *lastRecord) (bool, error) {
	if last == nil || last.Offset < start {
		return true, nil
	}
	same := true
	err := t.p.Log().Scan(ctx, topics.Unique().Name, t.p.ID(), last.Offset, last.Offset+1, func(r streams.Raw) error {
		same = r.Offset != last.Offset || r.Key == last.Key && r.Time.UnixMilli() == last.Time
		return errSeen
	})
	if errors.Is(err, errSeen) {
		err = nil
	}
	return same, err
}

var errSeen = errors.New("seen")

// Handle adds the operation of a record to those of the round.
func (t *task) Handle(_ context.Context, r *streams.Record[*schema.Unique]) error {
	if r.Offset < t.next {
		return nil
	}
	raw := streams.Raw{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Time: r.Time, Key: r.Key, Headers: r.Headers}
	var doc *schema.Doc
	if !r.Tombstone {
		raw.Value = append([]byte{}, r.Bytes...)
		if doc = r.Value.GetDoc(); doc == nil {
			return streams.DeadLetter("decode", "a record of %s without a document", r.Topic)
		}
	}
	lines, err := operation(t.tap.client.opts.Index, r.Key, t.at.Era<<eraBits|r.Offset, doc)
	if err != nil {
		return streams.DeadLetter("json", "%w", err)
	}
	t.ops = append(t.ops, op{lines: lines, which: len(t.pending)})
	t.pending = append(t.pending, raw)
	t.next, t.last = r.Offset+1, &lastRecord{r.Offset, r.Key, r.Time.UnixMilli()}
	return nil
}

// Pass implements streams.Passer: the index has nothing of a record that became a dead letter.
func (t *task) Pass(r streams.Raw) {
	if r.Offset >= t.next {
		t.next, t.last = r.Offset+1, &lastRecord{r.Offset, r.Key, r.Time.UnixMilli()}
	}
}

// Undo implements streams.Task: a Handle that failed staged nothing.
func (t *task) Undo() {}

// Settle sends the operations of the round, and saves the progress if no refused record is left.
func (t *task) Settle(ctx context.Context) error {
	if t.staged {
		t.refused, t.staged = nil, false
	}
	if err := t.send(ctx); err != nil {
		return err
	}
	if len(t.refused) > 0 || t.next == t.at.Next || time.Since(t.noted) < noteEvery {
		return nil
	}
	return t.note(ctx)
}

func (t *task) note(ctx context.Context) error {
	at := t.at
	at.Next, at.Last, at.At = t.next, t.last, time.Now().UTC()
	if err := t.tap.client.save(ctx, t.p.ID(), at); err != nil {
		return err
	}
	t.at, t.noted = at, time.Now()
	return nil
}

// send sends requests until all operations are done or refused. After an error it returns, and
// sends nothing for 250 ms, doubled up to 30 s; the loop calls it again.
func (t *task) send(ctx context.Context) error {
	if wait := time.Until(t.pause.until); wait > 0 && len(t.ops) > 0 {
		return fmt.Errorf("OpenSearch is busy: the next try is in %s", wait.Round(time.Millisecond))
	}
	for len(t.ops) > 0 {
		if err := t.request(ctx); err != nil {
			t.pause.longer(t.tap.client.opts.Pause)
			t.tap.tell(t.p.ID(), err)
			return err
		}
		t.pause.wait = 0
		t.tap.tell(t.p.ID(), nil)
	}
	t.pending = nil
	return nil
}

// request sends as many operations as fit in one request, if the index is the one that was filled.
// Without this look, an OpenSearch that makes indices by itself would take the new documents into
// an empty one.
func (t *task) request(ctx context.Context) error {
	index, err := t.tap.client.uuid(ctx)
	if err != nil {
		return err
	}
	if index != t.at.Index {
		return indexGoneError{t.tap.client.opts.Index}
	}
	n := t.fitting()
	out := t.tap.client.bulk(ctx, t.ops[:n])
	for _, which := range slices.Sorted(maps.Keys(out.refused)) {
		t.refused = append(t.refused, dead{t.pending[which], out.refused[which]})
	}
	t.tap.count("tap_records", int64(n-len(out.again)-len(out.refused)))
	t.tap.count("tap_bytes", out.done)
	t.ops = append(out.again, t.ops[n:]...)
	return out.err
}

// fitting returns how many operations fit in one request.
func (t *task) fitting() int {
	size := 0
	for i, o := range t.ops {
		if size += len(o.lines); size > t.tap.client.opts.Bulk && i > 0 {
			return i
		}
	}
	return len(t.ops)
}

// lookEvery is the time between two looks at the index while no documents come.
const lookEvery = 30 * time.Second

// Tick puts refused records on dead.letters, and notices that the index is gone while no documents
// come.
func (t *task) Tick(ctx context.Context, now time.Time) error {
	if now.Sub(t.looked) >= lookEvery && t.at.TopicID != "" {
		t.looked = now
		if index, err := t.tap.client.uuid(ctx); err == nil && index != t.at.Index {
			return indexGoneError{t.tap.client.opts.Index}
		}
	}
	for _, d := range t.refused {
		t.p.DeadLetter(t.tap.group.Name, d.record, "refused", d.why)
		if !t.staged {
			t.tap.meter.Add(streams.Count{Group: t.tap.group.Name, What: "dead_letter", Label: "refused"}, 1)
		}
	}
	t.staged = len(t.refused) > 0
	return nil
}

// Revoke saves the progress, if nothing is left to be sent or put on dead.letters.
func (t *task) Revoke(ctx context.Context, lost bool) {
	t.tap.tell(t.p.ID(), nil)
	if lost || len(t.ops) > 0 || len(t.refused) > 0 || t.next == t.at.Next || t.at.TopicID == "" {
		return
	}
	if err := t.note(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.tap.log.Warn("progress not noted: some documents are sent again", "partition", t.p.ID(), "error", err)
	}
}
