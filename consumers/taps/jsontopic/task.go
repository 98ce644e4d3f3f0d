package jsontopic

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// Options say which topic is written.
type Options struct {
	To       string // its name
	Replicas int16  // of a topic that is made
}

// DefaultOptions returns the topic docs.json, with three replicas if it is made.
func DefaultOptions() Options { return Options{To: topics.JSONTopic, Replicas: 3} }

// topicName matches the names that Kafka accepts for a topic.
var topicName = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,200}$`)

// Validate returns an error for the first option that is out of bounds.
func (o Options) Validate() error {
	switch {
	case !topicName.MatchString(o.To) || o.To == "." || o.To == "..":
		return fmt.Errorf("%q cannot name a topic: letters, digits, '.', '_' and '-'", o.To)
	case o.Replicas < 1:
		return errors.New("a topic has at least one replica")
	}
	if s, err := topics.Named(o.To); err == nil {
		return fmt.Errorf("%s is a topic of the crawl itself (%s): name another one", s.Name, s.About)
	}
	return nil
}

// Tap is the group in one process.
type Tap struct {
	opts  Options
	spec  topics.Spec
	group topics.Group
}

// New returns the group.
func New(o Options) (*Tap, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	spec := topics.Unique().Spec // key, partitions and compaction are the same
	spec.Name = o.To
	return &Tap{opts: o, spec: spec, group: topics.Group{
		Name: topics.TapPrefix + "json-" + o.To, Reads: topics.Unique().Name, Writes: []string{o.To},
		Delivery: topics.Transactional, About: "writes docs.unique as JSON",
	}}, nil
}

// Group is the consumer group.
func (t *Tap) Group() topics.Group { return t.group }

// Prepare makes the topic if it is not there. It returns an error, and changes nothing, if the
// topic has another number of partitions than docs.unique, or is somebody else's.
func (t *Tap) Prepare(ctx context.Context, log *streams.Log) error {
	count, err := log.Partitions(ctx, t.group.Reads)
	if err != nil {
		return err
	}
	if err := t.foreign(ctx, log); err != nil {
		return err
	}
	return log.Make(ctx, t.spec, streams.Layout{PerSite: count, Replicas: t.opts.Replicas})
}

// foreign returns an error if the topic is there and this tap did not make it: if it is no table,
// or its first record in a partition is no copy. To compact such a topic would delete what is in
// it.
func (t *Tap) foreign(ctx context.Context, log *streams.Log) error {
	policy, err := log.Cleanup(ctx, t.opts.To)
	switch {
	case err != nil || policy == "":
		return err
	case policy != "compact":
		return fmt.Errorf("the topic %s belongs to somebody else: its cleanup.policy is %s, and compacting it would delete records; name another one (--to)", t.opts.To, policy)
	}
	ends, err := log.Ends(ctx, t.opts.To)
	if err != nil {
		return err
	}
	for p, end := range ends {
		start, err := log.Start(ctx, t.opts.To, p)
		if err == nil {
			err = log.Scan(ctx, t.opts.To, p, start, end, func(r streams.Raw) error {
				if !slices.ContainsFunc(r.Headers, func(h streams.Header) bool { return h.Key == "ce_source" }) {
					return fmt.Errorf("the topic %s belongs to somebody else: its record %d of partition %d has no header ce_source; name another one (--to)", t.opts.To, r.Offset, p)
				}
				return errSeen
			})
		}
		if err != nil && !errors.Is(err, errSeen) {
			return err
		}
	}
	return nil
}

var errSeen = errors.New("seen")

// Run is a member of the group until ctx ends. Marks of cfg are replaced by those in Kafka.
func (t *Tap) Run(ctx context.Context, cfg streams.Config, log *streams.Log) error {
	cfg.Marks = streams.CommitMarks(log)
	topic := topics.Unique()
	topic.Place = func(*schema.Unique) topics.Place { return topics.Place{} } // nothing is appended again
	return streams.Run(ctx, cfg, t.group, topic, t.Task)
}

// emitters are the topics that the group writes.
type emitters struct {
	json streams.Emitter[*schema.Unique]
}

// Task returns the Task of a partition: the start function of streams.Run.
func (t *Tap) Task(p *streams.Partition) streams.Task[*schema.Unique] {
	to := topics.Unique()
	to.Spec = t.spec
	return &task{p: p, most: t.spec.MaxBytes(), out: emitters{json: streams.NewEmitter(p, t.group.Name, to)}}
}

// task copies one partition.
type task struct {
	streams.Plain[*schema.Unique]
	p    *streams.Partition
	most int // bytes of a record
	out  emitters
}

// Handle stages the copy of a record.
func (t *task) Handle(_ context.Context, r *streams.Record[*schema.Unique]) error {
	if r.Tombstone {
		t.out.json.Copy(t.p.ID(), r.Key, nil, r.Headers...)
		return nil
	}
	d := r.Value.GetDoc()
	if d == nil {
		return streams.DeadLetter("decode", "a record of %s without a document", r.Topic)
	}
	value, err := encode(d)
	if err != nil {
		return streams.DeadLetter("json", "%w", err)
	}
	if room := t.most - overhead(r); len(value) > room {
		return streams.DeadLetter("too_large", "%d bytes of JSON, a record has room for %d", len(value), room)
	}
	t.out.json.Copy(t.p.ID(), r.Key, value, contentType(r.Headers)...)
	return nil
}

// overhead is more than what key, headers and Kafka's own fields add to a value, in bytes.
func overhead(r *streams.Record[*schema.Unique]) int {
	n := 1024 + len(r.Key)
	for _, h := range r.Headers {
		n += 16 + len(h.Key) + len(h.Value)
	}
	return n
}

// contentType returns the headers with the content type of JSON.
func contentType(list []streams.Header) []streams.Header {
	out := make([]streams.Header, len(list))
	for i, h := range list {
		if out[i] = h; h.Key == "content-type" {
			out[i].Value = []byte("application/json")
		}
	}
	return out
}
