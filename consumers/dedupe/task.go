package dedupe

import (
	"context"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// New returns what starts a Task for a partition.
func New(opts Options) func(*streams.Partition) streams.Task[*schema.Extracted] {
	return func(p *streams.Partition) streams.Task[*schema.Extracted] {
		return &task{
			opts: opts, p: p,
			rows:       rows{b: state.NewBatch(opts.Store)},
			unique:     streams.NewEmitter(p, "dedupe", topics.Unique()),
			discovered: streams.NewEmitter(p, "dedupe", topics.Discovered()),
		}
	}
}

type task struct {
	opts       Options
	p          *streams.Partition
	rows       rows
	unique     streams.Emitter[*schema.Unique]
	discovered streams.Emitter[*schema.Discovered]

	fold    fold
	settled fold // as written: what all records acknowledged so far come to
	saved   struct {
		batch state.Savepoint
		fold  fold
	} // what a failed Handle returns to
	overtaken bool // another owner wrote the state after records not handled here
	proofs    proofs

	// of the record at work
	in    subject
	ts    int64     // era << 44 | offset
	at    time.Time // when it was appended
	sends []*schema.Sending
}

// Recover brings the tables to where the journal is.
func (t *task) Recover(ctx context.Context) (int64, error) {
	if err := t.catchUp(ctx); err != nil {
		return 0, err
	}
	return streams.Committed, t.proofs.begin(ctx, t.p)
}

// Handle applies one Doc or Gone.
func (t *task) Handle(ctx context.Context, r *streams.Record[*schema.Extracted]) error {
	t.save()
	in, err := read(r)
	if err != nil {
		return err
	}
	if t.overtaken {
		if err := t.catchUp(ctx); err != nil {
			return err
		}
		t.save()
	}
	t.in, t.at, t.ts = in, r.Time, t.opts.Era<<44|r.Offset
	t.proofs.seen = r.Offset + 1
	if t.ts <= t.fold.at {
		return t.again(ctx)
	}
	t.fold.at = t.ts
	return t.once(ctx)
}

// once handles a record that was never handled before.
func (t *task) once(ctx context.Context) error {
	t.rows.begin(t.ts)
	t.sends = nil
	pointless, err := t.apply(ctx)
	if late := t.alone(ctx); late != nil {
		return late
	}
	if err != nil {
		return err
	}
	if pointless != "" {
		t.p.Drop(pointless, 1)
		return nil
	}
	return t.record()
}

// apply brings the page at work to its new version, or says why not.
func (t *task) apply(ctx context.Context) (pointless string, err error) {
	page, err := t.rows.doc(ctx, t.in.key)
	if err != nil {
		return "", err
	}
	if pointless = t.in.pointless(page.row); pointless != "" {
		return pointless, nil
	}
	return "", t.change(ctx, page)
}

func (t *task) save() { t.saved.batch, t.saved.fold = t.rows.b.Savepoint(), t.fold }

// Undo forgets what the failed Handle staged.
func (t *task) Undo() {
	t.rows.b.Rollback(t.saved.batch)
	t.fold = t.saved.fold
}

// Settle writes the round: its journal, the fold, then the tables.
func (t *task) Settle(ctx context.Context) error {
	if t.fold.at != t.settled.at {
		row := t.fold.row()
		row.From = t.settled.at
		if err := t.rows.stage(thenFold, foldKey(t.p.ID(), "fold"), t.fold.at, row); err != nil {
			return err
		}
	}
	if err := t.rows.b.Commit(ctx); err != nil {
		return err
	}
	t.settled, t.proofs.settled = t.fold, max(t.proofs.settled, t.proofs.seen)
	return nil
}

// Tick ties the fold to an offset of docs.unique from time to time.
func (t *task) Tick(ctx context.Context, now time.Time) error {
	t.save()
	return t.prove(ctx, now)
}

// Revoke drops what was not settled: it comes again.
func (t *task) Revoke(context.Context, bool) {}
