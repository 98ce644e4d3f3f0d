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
	proven  time.Time
	saved   struct { // what a failed Handle returns to
		batch state.Savepoint
		fold  fold
	}

	// of the record at work
	in    subject
	ts    int64     // era << 44 | offset
	at    time.Time // when it was appended
	again bool      // some of its effects are there already
	books bool      // its effects are not in the fold

	resent map[string]uint64 // while records come again: what was sent last, by key
}

// Recover reads the fold.
func (t *task) Recover(ctx context.Context) (int64, error) {
	row, err := t.rows.fold(ctx, t.p.ID())
	t.fold = fold{row.At, row.Digest, row.Documents}
	t.settled = t.fold
	return streams.Committed, err
}

// Handle applies one Doc or Gone.
func (t *task) Handle(ctx context.Context, r *streams.Record[*schema.Extracted]) error {
	in, err := read(r)
	if err != nil {
		return err
	}
	t.begin(in, r)
	page, err := t.page(ctx, in.key)
	if err != nil {
		return err
	}
	switch row := page.row; {
	case t.ts <= t.saved.fold.at || t.ts <= row.At:
		err = t.repeat(ctx, page)
	case in.older(row):
		t.p.Drop("older_version", 1)
	case in.same(row):
		t.p.Drop("repeated_version", 1)
	case row.Status == schema.DocRow_TAKEDOWN:
		t.p.Drop("takedown", 1)
	default:
		t.resent = nil
		err = t.change(ctx, page)
	}
	if err != nil {
		return err
	}
	return t.rows.keep(t.ts)
}

func (t *task) begin(in subject, r *streams.Record[*schema.Extracted]) {
	t.saved.batch, t.saved.fold = t.rows.b.Savepoint(), t.fold
	t.rows.begin()
	t.in, t.at, t.ts, t.again = in, r.Time, t.opts.Era<<44|r.Offset, false
	t.books = t.ts > t.fold.at
	t.fold.at = max(t.fold.at, t.ts)
}

// Undo forgets what the failed Handle staged.
func (t *task) Undo() {
	t.rows.b.Rollback(t.saved.batch)
	t.fold = t.saved.fold
}

// Settle writes the rows of the round: documents, members, clusters, the fold.
func (t *task) Settle(ctx context.Context) error {
	if t.fold.at == t.settled.at {
		return nil
	}
	if err := t.rows.put(thenFold, schema.Fold, foldKey(t.p.ID(), "fold"), t.fold.at, t.fold.row()); err != nil {
		return err
	}
	if err := t.rows.b.Commit(ctx); err != nil {
		return err
	}
	t.settled = t.fold
	return nil
}

// Tick ties the fold to an offset of docs.unique from time to time.
func (t *task) Tick(ctx context.Context, now time.Time) error {
	t.saved.batch, t.saved.fold = t.rows.b.Savepoint(), t.fold
	if now.Sub(t.proven) < proveEvery {
		return nil
	}
	t.proven = now
	return t.prove(ctx, now)
}

// Revoke drops what was not settled: it comes again.
func (t *task) Revoke(context.Context, bool) {}

// change brings a page to its new version.
func (t *task) change(ctx context.Context, page *docEntry) error {
	old := page.row
	row, err := t.decide(ctx, old)
	if err != nil {
		return err
	}
	page.row, page.dirty = row, true
	return t.apply(ctx, old, row)
}

// repeat does the effects of a record once more: what is there stays as it is.
func (t *task) repeat(ctx context.Context, page *docEntry) error {
	t.again = true
	t.p.Drop("again", 1)
	return t.apply(ctx, page.row, page.row)
}

func (t *task) apply(ctx context.Context, old, row *schema.DocRow) error {
	if err := t.list(ctx, row); err != nil {
		return err
	}
	if err := t.move(ctx, t.in.key, old, row); err != nil {
		return err
	}
	return t.followers(ctx, row)
}

// decide makes the page's new row from its record and its canonical.
func (t *task) decide(ctx context.Context, old *schema.DocRow) (*schema.DocRow, error) {
	row := &schema.DocRow{
		At: t.ts, Rev: t.in.rev, Edition: t.in.edition,
		Left: t.recentLeft(old.Left), Sent: old.Sent,
	}
	if d := t.in.doc; d != nil {
		row.Status, row.TextHash, row.Own = schema.DocRow_LIVE, d.TextHash, ownPart(d)
		target, err := t.standsFor(ctx, row)
		if err != nil {
			return nil, err
		}
		if target != "" {
			row.Status, row.AliasOf = schema.DocRow_ALIAS, target
		}
	} else {
		row.Status, row.Reason, row.MovedTo = schema.DocRow_GONE, t.in.gone.Reason, t.in.gone.MovedTo
		if row.Reason == schema.Gone_TAKEDOWN {
			row.Status = schema.DocRow_TAKEDOWN
		}
	}
	t.leave(t.in.key, old, row)
	return row, nil
}

// leave notes in row what the page was in, and named, and is not any more.
func (t *task) leave(key string, old, row *schema.DocRow) {
	h, before := cluster(old), canonicalOf(key, old.Own)
	if h == "" || h == cluster(row) && before == canonicalOf(key, row.Own) {
		return
	}
	row.Left = append(row.Left, &schema.Left{Hash: []byte(h), At: t.ts, Canonical: before})
}

// recentLeft keeps what a crash may bring back.
func (t *task) recentLeft(left []*schema.Left) []*schema.Left {
	var out []*schema.Left
	for _, l := range left {
		if l.At > t.ts-t.opts.Window {
			out = append(out, l)
		}
	}
	return out
}
