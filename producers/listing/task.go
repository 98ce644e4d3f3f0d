package listing

import (
	"context"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// Producer is one of the groups that read feeds.fetched.
type Producer struct {
	Name string      // of the group, and in the records
	Kind schema.Kind // of the pages that are its own
	Read func(*schema.Page, schema.URL) *List
}

// Task handles the pages of one partition that are of its producer's kind, and passes over the rest.
type Task struct {
	streams.Plain[*schema.Page]
	is         Producer
	part       *streams.Partition
	discovered streams.Emitter[*schema.Discovered]
}

// NewTask returns the Task of a partition.
func NewTask(is Producer, p *streams.Partition) *Task {
	return &Task{is: is, part: p, discovered: streams.NewEmitter(p, is.Name, topics.Discovered())}
}

// Handle emits what the page lists and counts what it left out.
func (t *Task) Handle(_ context.Context, r *streams.Record[*schema.Page]) error {
	p := r.Value
	if p == nil {
		return streams.Poison("decode", "a page without a value")
	}
	switch p.Kind {
	case t.is.Kind:
	case schema.Kind_FEED, schema.Kind_SITEMAP: // another group's
		return nil
	default:
		return streams.Poison("enum", "a page of kind %d among feeds and sitemaps", p.Kind)
	}
	at, err := address(p)
	if err != nil {
		return streams.Poison("key", "page: %w", err)
	}
	list := t.is.Read(p, at)
	for _, d := range list.Records(t.is.Name, p) {
		t.discovered.Send(d)
	}
	for reason, n := range list.Drops() {
		t.part.Drop(reason, n)
	}
	return nil
}

// address is the page's URL, as its key has it.
func address(p *schema.Page) (schema.URL, error) {
	key, err := schema.ParseRowKey(p.RowKey)
	if err != nil {
		return schema.URL{}, err
	}
	var asItIs schema.Canonicalizer
	return asItIs.Parse(key.URL())
}
