package dedupe

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// task handles the records of one partition. It only sets the order of steps: change has the rules,
// journal makes rows durable. It is large because its steps share the rows that were read.
type task struct {
	group   *Deduper
	part    *streams.Partition
	log     *slog.Logger
	out     emitters
	ahead   ahead
	rows    rows
	journal journal
	proofs  proofs
	cleaner cleaner

	uniqueID string // of the topic docs.unique
	unique   unique

	fold  fold
	saved struct {
		batch  state.Savepoint
		fold   fold
		staged int64
		resent int
	} // to which a failed Handle returns
	checked   int                      // ahead.Reads that are known to see our rows only
	overtaken bool                     // another owner wrote the state after records not handled here
	failed    *streams.DeadLetterError // why the record at work becomes a dead letter
	failedTS  int64
}

func newTask(d *Deduper, p *streams.Partition) *task {
	t := &task{group: d, part: p, out: newEmitters(p), log: d.deps.Logger.With("group", Group, "partition", p.ID())}
	t.ahead = ahead{state.NewAhead(d.deps.Store)}
	t.rows.batch = state.NewBatch(t.ahead)
	t.journal = journal{
		rows: &t.rows, store: d.deps.Store, partition: p.ID(), window: d.opts.Window, sends: d.opts.Transactions,
	}
	t.proofs = proofs{store: d.deps.Store, part: p, transactions: d.opts.Transactions}
	t.cleaner = cleaner{trimmer: d.deps.Trimmer, part: p, out: t.out.unique}
	return t
}

// Recover brings the tables to where the journal is.
func (t *task) Recover(ctx context.Context) (_ int64, err error) {
	if log := t.part.Log(); log != nil {
		if t.uniqueID, err = log.TopicID(ctx, topics.Unique().Name); err != nil {
			return 0, err
		}
	}
	if err := t.catchUp(ctx); err != nil {
		return 0, err
	}
	t.group.noteLive(t.part.ID(), t.fold.bytes)
	if err := t.checkUnique(ctx); err != nil {
		return 0, err
	}
	return streams.Committed, t.proofs.begin(ctx)
}

// catchUp takes over what an earlier owner wrote.
func (t *task) catchUp(ctx context.Context) error {
	t.ahead.Forget()
	now, newer, err := t.journal.catchUp(ctx, t.fold.at)
	if newer {
		t.fold, t.overtaken = now, false
	}
	if t.uniqueID != "" {
		t.fold.standOn(t.uniqueID)
	}
	return err
}

// Handle applies one Doc or Gone.
func (t *task) Handle(ctx context.Context, r *streams.Record[*schema.Extracted]) (err error) {
	t.savepoint()
	t.failed = nil
	in, err := read(r)
	if err != nil {
		return err
	}
	if t.overtaken {
		if err := t.catchUp(ctx); err != nil {
			return err
		}
		if err := t.catchUpUnique(ctx); err != nil {
			return err
		}
		t.savepoint()
	}
	ts := int64(state.At(t.part.Era(), r.Offset))
	if ts <= t.fold.at {
		return t.repeat(ctx, ts, in, r.Time)
	}
	defer func() {
		if p := recover(); p != nil {
			err = streams.DeadLetter("panic", "%v\n%s", p, debug.Stack())
		}
		err = t.noteFailure(ts, err)
	}()
	t.fold.at = ts
	return t.handleNew(ctx, ts, in, r.Time)
}

// handleNew handles a record that was never handled before.
func (t *task) handleNew(ctx context.Context, ts int64, in subject, at time.Time) error {
	t.rows.begin(ts, t.fold.uniqueEra)
	c := &change{rows: &t.rows, opts: &t.group.opts, in: in, at: at, fold: &t.fold, drop: t.part.Drop}
	pointless, err := c.apply(ctx)
	if late := t.checkAlone(ctx); late != nil {
		return late
	}
	if err != nil {
		return err
	}
	if pointless != "" {
		t.part.Drop(pointless, 1)
	}
	if len(t.rows.writes) == 0 {
		return nil
	}
	t.noteChanged(c.sends)
	t.emit(c.sends)
	return t.journal.putEntry(c.sends)
}

// repeat appends again what a record led to: an aborted transaction may have removed it.
func (t *task) repeat(ctx context.Context, ts int64, in subject, at time.Time) error {
	t.part.Drop("again", 1)
	sends, err := t.journal.sent(ctx, ts, in, at.UnixMilli())
	if err == nil {
		t.emit(sends)
	}
	return err
}

// Settle writes the round: its journal, the fold, then the tables.
func (t *task) Settle(ctx context.Context) error {
	if err := t.journal.putFoldRow(t.fold); err != nil {
		return err
	}
	written, err := t.putUniqueRow(ctx)
	if err != nil {
		return err
	}
	if err := t.rows.batch.Commit(ctx); err != nil {
		return err
	}
	t.unique.settled(written)
	t.rows.resent = nil
	t.ahead.Forget()
	t.journal.settled = t.fold
	t.group.noteLive(t.part.ID(), t.fold.bytes)
	t.cleaner.settled()
	return nil
}

// Tick asks for what docs.unique lost, ties the fold to an offset of docs.unique from time to time,
// and cleans.
func (t *task) Tick(ctx context.Context, now time.Time) error {
	t.savepoint()
	if len(t.rows.lost) == 0 && t.rows.unsure == 0 { // else the topic lacks records
		if err := t.proofs.prove(ctx, now, t.journal.settled); err != nil {
			return fmt.Errorf("proof: %w", err)
		}
	}
	if err := t.askForLost(ctx, now); err != nil {
		return fmt.Errorf("what docs.unique lost: %w", err)
	}
	if err := t.clean(ctx, now); err != nil {
		t.log.Warn("docs.unique not cleaned, trying again later", "error", err)
	}
	return nil
}

// Revoke drops what was not settled: it comes again.
func (t *task) Revoke(context.Context, bool) { t.group.forget(t.part.ID()) }
