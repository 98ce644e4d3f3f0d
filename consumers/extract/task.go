package extract

import (
	"context"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// The groups' names on the map. Documents does for files.fetched what Group does for pages.fetched.
const (
	Group     = "extract"
	Documents = "documents"
)

// task handles the pages of one partition.
type task struct {
	streams.Plain[*schema.Page]
	worker *Worker
	part   *streams.Partition
	out    emitters
}

// emitters are the group's outputs; another does not compile.
type emitters struct {
	extracted  streams.Emitter[*schema.Extracted]
	discovered streams.Emitter[*schema.Discovered]
	found      streams.Emitter[*schema.Found]
}

// Task returns the task of a partition of pages.fetched. One Worker serves all partitions.
func (w *Worker) Task(p *streams.Partition) streams.Task[*schema.Page] { return newTask(w, p, Group) }

// FileTask returns the task of a partition of files.fetched.
func (w *Worker) FileTask(p *streams.Partition) streams.Task[*schema.Page] {
	return newTask(w, p, Documents)
}

func newTask(w *Worker, p *streams.Partition, group string) *task {
	return &task{worker: w, part: p, out: emitters{
		extracted:  streams.NewEmitter(p, group, topics.Extracted()),
		discovered: streams.NewEmitter(p, group, topics.Discovered()),
		found:      streams.NewEmitter(p, group, topics.Found()),
	}}
}

// Handle emits what Work makes of the page: the document first, so that its links never lead to
// news of a page that has no document yet.
func (t *task) Handle(ctx context.Context, r *streams.Record[*schema.Page]) error {
	if err := check(r.Value); err != nil {
		return err
	}
	made, err := t.worker.Work(ctx, r.Value)
	if err != nil {
		return err
	}
	t.out.extracted.Send(made.Extracted)
	for _, d := range made.Discovered {
		t.out.discovered.Send(d)
	}
	t.out.found.Send(made.Found)
	if made.Drop != "" {
		t.part.Drop(made.Drop, 1)
	}
	if made.LinksCut > 0 {
		t.part.Drop("links_over_cap", made.LinksCut)
	}
	return nil
}

// check refuses records that are no pages: they become dead letters.
func check(p *schema.Page) error {
	if p == nil {
		return streams.DeadLetter("decode", "a page without a value")
	}
	if _, err := schema.ParseRowKey(p.RowKey); err != nil {
		return streams.DeadLetter("key", "page: %w", err)
	}
	if _, known := schema.Kind_name[int32(p.Kind)]; !known || p.Kind == schema.Kind_KIND_UNSPECIFIED {
		return streams.DeadLetter("enum", "page of kind %d", p.Kind)
	}
	return nil
}
