package streams

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// Preparer is a Task that gets a round's records together before it handles them one by one, so
// that it can read their state in few calls. An error of Prepare is only logged: Handle must then
// read the state itself.
type Preparer[M topics.Message] interface {
	// Prepare gets the records that decode and are in the right partition. It must not send, and
	// must not keep their values.
	Prepare(ctx context.Context, records []*Record[M]) error
}

// prepare calls Prepare, if the Task has it, with the round's records.
func (w *work[M]) prepare(ctx context.Context, records []*kgo.Record) {
	task, ok := w.task.(Preparer[M])
	if !ok || len(records) == 0 {
		return
	}
	err := w.attempt(func() error {
		list := make([]*Record[M], 0, len(records))
		for _, rec := range records {
			if rec.Attrs.IsControl() || w.resumed.IsDone(rec.Offset) {
				continue
			}
			if m, err := decode(w.r.topic, rec); err == nil && !w.misrouted(m) {
				list = append(list, m)
			}
		}
		return task.Prepare(ctx, list)
	})
	if err != nil {
		w.r.log.Warn("records not prepared, each is handled on its own", "partition", w.id, "error", err)
	}
}
