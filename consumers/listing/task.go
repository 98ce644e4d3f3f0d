package listing

import (
	"context"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// Reader says how one group reads feeds.fetched.
type Reader struct {
	Group string      // the group's name, also in its records
	Kind  schema.Kind // the kind of page that the group reads
	Read  func(*schema.Page, schema.URL) *List
}

// Task returns the Task of a partition. It handles the pages of the reader's kind and skips the
// rest.
func (r Reader) Task(p *streams.Partition) streams.Task[*schema.Page] {
	return &task{reader: r, part: p, out: emitters{streams.NewEmitter(p, r.Group, topics.Discovered())}}
}

type task struct {
	streams.Plain[*schema.Page]
	reader Reader
	part   *streams.Partition
	out    emitters
}

// emitters are the outputs of feeds and sitemaps; another one does not compile.
type emitters struct {
	discovered streams.Emitter[*schema.Discovered]
}

// Handle emits what the page lists and counts what was left out.
func (t *task) Handle(_ context.Context, r *streams.Record[*schema.Page]) error {
	p := r.Value
	if p == nil {
		return streams.DeadLetter("decode", "a page without a value")
	}
	switch p.Kind {
	case t.reader.Kind:
	case schema.Kind_FEED, schema.Kind_SITEMAP: // another group's
		return nil
	default:
		return streams.DeadLetter("enum", "a page of kind %d among feeds and sitemaps", p.Kind)
	}
	at, err := address(p)
	if err != nil {
		return streams.DeadLetter("key", "page: %w", err)
	}
	list := t.reader.Read(p, at)
	for _, d := range list.Records(t.reader.Group, p) {
		t.out.discovered.Send(d)
	}
	t.out.discovered.Send(list.Listed(p, at))
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
