package streams

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// maxSeedLag is how far a reader may be behind before producers from outside the groups wait: so
// outcomes and news items do not wait hours behind a long seed list.
const maxSeedLag = 5 * time.Second

// Producer appends messages to one topic from outside the groups.
type Producer[M topics.Message] struct {
	opts   Options
	cl     *kgo.Client
	log    *Log
	topic  topics.Topic[M]
	count  int32
	source string
	looked time.Time

	// Waiting is called once a second with what Wait waits for; nil: not called.
	Waiting func(what string)
}

// NewProducer connects a producer that appends to topic t. Its name goes into the header ce_source.
func NewProducer[M topics.Message](ctx context.Context, opts Options, name string, t topics.Topic[M]) (*Producer[M], error) {
	cl, err := opts.client()
	if err != nil {
		return nil, err
	}
	log, err := NewLog(opts)
	if err != nil {
		cl.Close()
		return nil, err
	}
	p := &Producer[M]{opts: opts, cl: cl, log: log, topic: t, source: "millrace/" + name}
	if p.count, err = log.Partitions(ctx, t.Name); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Send appends messages and returns when all are acknowledged.
func (p *Producer[M]) Send(ctx context.Context, ms ...M) error {
	recs := make([]*kgo.Record, 0, len(ms))
	for _, m := range ms {
		place := p.topic.Place(m)
		r := &kgo.Record{
			Topic: p.topic.Name, Key: []byte(place.Key), Value: Encode(m),
			Partition: topics.Partition(place.Route, p.count),
		}
		for _, h := range urgentHeaders(eventHeaders(place.ID, p.topic.Message, p.source, time.Now()), place) {
			r.Headers = append(r.Headers, kgo.RecordHeader(h))
		}
		recs = append(recs, r)
	}
	defer p.opts.holdTables([]Send{{Topic: p.topic.Name}})()
	if err := p.cl.ProduceSync(ctx, recs...).FirstErr(); err != nil {
		return fmt.Errorf("append to %s: %w", p.topic.Name, deniedAs(err, topics.Write, topics.TopicResource, p.topic.Name))
	}
	return nil
}

// Wait returns when the groups that read the topic are less than five seconds behind; groups
// without members do not count. It checks at most once a second, and returns at once in between.
// While it waits it calls Waiting.
func (p *Producer[M]) Wait(ctx context.Context) error {
	for time.Since(p.looked) >= time.Second {
		p.looked = time.Now()
		late := p.late(ctx)
		if late == nil {
			return nil
		}
		if p.Waiting != nil {
			p.Waiting(fmt.Sprintf("waits for %s, which is %.0f s behind on %s", late.Group, late.Seconds, late.Topic))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return ctx.Err()
}

// late returns a group that reads the topic, has members, and is maxSeedLag or more behind; nil if
// there is none.
func (p *Producer[M]) late(ctx context.Context) *GroupLag {
	for _, g := range p.log.Lag(ctx).Groups {
		if g.Topic == p.topic.Name && g.Seconds >= maxSeedLag.Seconds() && p.log.Members(ctx, g.Group) > 0 {
			return &g
		}
	}
	return nil
}

// Close releases the connections.
func (p *Producer[M]) Close() {
	p.log.Close()
	p.cl.Close()
}

// Append appends encoded records, each to its Partition, and returns when all are acknowledged.
func Append(ctx context.Context, opts Options, list ...Send) error {
	cl, err := opts.client()
	if err != nil {
		return err
	}
	defer cl.Close()
	defer opts.holdTables(list)()
	var recs []*kgo.Record
	for _, s := range list {
		r := &kgo.Record{Topic: s.Topic, Partition: s.Partition, Key: []byte(s.Key), Value: s.Value}
		for _, h := range s.Headers {
			r.Headers = append(r.Headers, kgo.RecordHeader(h))
		}
		recs = append(recs, r)
	}
	for _, r := range cl.ProduceSync(ctx, recs...) {
		if r.Err != nil {
			return deniedAs(r.Err, topics.Write, topics.TopicResource, r.Record.Topic)
		}
	}
	return nil
}
