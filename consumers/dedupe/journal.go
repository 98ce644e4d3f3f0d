package dedupe

import (
	"context"
	"errors"
	"fmt"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// journal makes the rows of a round durable together, and remembers what each record appended. It
// is a redo log in the table fold. Every record that changes something has an entry: the rows it
// writes and, with transactions, the records it appends. A round is written in this order: entries,
// fold row, tables. If a crash leaves the tables of a round half written, the fold row is there and
// names the round, and the entries have its rows: the next owner writes them again (catchUp). So
// the tables always contain the effect of all records up to fold.at, and the other files of this
// package need not consider crashes.
//
// An entry has no text. It names a document by its row key. The document's own fields are in the
// row that the entry writes. Its text is in the record itself, which is at hand when it comes
// again, or, for another page, in the row of the cluster. That row is kept for Window offsets after
// its last member left (graves), so nothing here depends on how long docs.extracted is kept.
//
// An entry depends only on the log up to its record (but for the order of its rows). So it may be
// written several times, by several owners, and in different rounds.
//
// An entry's slot is its offset modulo Window, so at most Window entries are kept and each
// overwrites an older one.
type journal struct {
	rows      *rows
	store     state.Store
	partition int32
	window    int64
	sends     bool // entries contain what was appended

	settled fold // as in the store: the effect of all records acknowledged so far
}

func (j *journal) slotName(ts int64) string {
	return fmt.Sprintf("entry/%08d", state.Stamp(ts).Offset()%j.window)
}

// maxEntry is the most bytes of an entry; it leaves room for the key.
const maxEntry = state.MaxRowBytes - 4<<10

// putEntry stages the entry of the record at work.
func (j *journal) putEntry(sends []sending) error {
	e := &schema.JournalEntry{At: j.rows.ts, Writes: j.rows.writes}
	if j.sends {
		for _, s := range sends {
			e.Sends = append(e.Sends, s.entry())
		}
	}
	if n := e.SizeVT(); n > maxEntry {
		return streams.DeadLetter("too_big", "a journal entry of %d bytes", n)
	}
	return j.stage(e)
}

// putDeadLetter stages the entry of a record that became a dead letter because of its effect. If
// its transaction is aborted, the record comes again and becomes a dead letter again.
func (j *journal) putDeadLetter(ts int64, p *streams.DeadLetterError) error {
	text := fmt.Sprint(p.Err)
	return j.stage(&schema.JournalEntry{At: ts, DeadLetter: p.Kind, Error: text[:min(len(text), 2000)]})
}

func (j *journal) stage(e *schema.JournalEntry) error {
	return j.rows.putFold(entriesFirst, foldKey(j.partition, j.slotName(e.At)), e.At, e)
}

// putFoldRow stages the fold row of the round.
func (j *journal) putFoldRow(now fold) error {
	if now.at == j.settled.at {
		return nil
	}
	row := now.row()
	row.From = j.settled.at
	return j.rows.putFold(thenFold, foldKey(j.partition, foldKind), now.at, row)
}

// entry returns the entry of a record; an empty one if it has none.
func (j *journal) entry(ctx context.Context, ts int64) (*schema.JournalEntry, error) {
	e := &schema.JournalEntry{}
	if _, err := j.rows.read(ctx, schema.Fold, foldKey(j.partition, j.slotName(ts)), e); err != nil {
		return nil, err
	}
	if e.At != ts { // the slot has an earlier record
		return &schema.JournalEntry{}, nil
	}
	return e, nil
}

// sent returns what a record that was handled before appended, byte for byte, from its entry: an
// aborted transaction may have removed it. A record that became a dead letter gives the same error
// again.
func (j *journal) sent(ctx context.Context, ts int64, in subject, at int64) ([]sending, error) {
	e, err := j.entry(ctx, ts)
	if err != nil {
		return nil, err
	}
	if e.DeadLetter != "" {
		return nil, streams.DeadLetter(e.DeadLetter, "%s", e.Error)
	}
	var out []sending
	for _, s := range e.Sends {
		switch s := s.What.(type) {
		case *schema.Sending_Tombstone:
			out = append(out, sending{tombstone: s.Tombstone})
		case *schema.Sending_Discovered:
			out = append(out, sending{discovered: s.Discovered})
		case *schema.Sending_UpsertOf:
			d, err := j.document(ctx, e, s.UpsertOf, in)
			if err != nil {
				return nil, err
			}
			out = append(out, sending{upsert: uniqueOf(d, string(d.TextHash), at)})
		}
	}
	return out, nil
}

// document returns a document that an entry names: from the record at work, or joined from the row
// in the entry and the text of the cluster.
func (j *journal) document(ctx context.Context, e *schema.JournalEntry, key string, in subject) (*schema.Doc, error) {
	if in.doc != nil && in.key == key {
		return in.doc, nil
	}
	row := &schema.DocRow{}
	for _, w := range e.Writes {
		if w.Table == schema.DocTable.Name && string(w.Key[0]) == key {
			if err := row.UnmarshalVT(w.St); err != nil {
				return nil, err
			}
		}
	}
	if row.Own == nil {
		return nil, streams.DeadLetter("state", "the journal has no row of %s", key)
	}
	c := &schema.ClusterRow{}
	cells, err := j.rows.read(ctx, schema.Cluster, clusterKey(row.Own.Site, string(row.TextHash)), c)
	if err != nil {
		return nil, err
	}
	if len(cells) < 2 {
		return nil, streams.DeadLetter("state", "the text of %s is not kept", key)
	}
	body, err := unpack(cells[1].Bytes())
	if err != nil {
		return nil, streams.DeadLetter("state", "the text of %s: %w", key, err)
	}
	return join(row.Own, body), nil
}

func (s sending) entry() *schema.Sending {
	switch {
	case s.upsert != nil:
		return &schema.Sending{What: &schema.Sending_UpsertOf{UpsertOf: s.upsert.Doc.RowKey}}
	case s.tombstone != nil:
		return &schema.Sending{What: &schema.Sending_Tombstone{Tombstone: s.tombstone}}
	}
	return &schema.Sending{What: &schema.Sending_Discovered{Discovered: s.discovered}}
}

// catchUp finishes the round that an earlier owner wrote last, if it is newer than have. It returns
// the fold that the tables now have.
func (j *journal) catchUp(ctx context.Context, have int64) (now fold, newer bool, err error) {
	row, err := j.written(ctx)
	if err != nil || row.At <= have {
		return fold{}, false, err
	}
	if err := j.redo(ctx, row); err != nil {
		return fold{}, false, err
	}
	j.settled = foldOf(row)
	return j.settled, true, nil
}

// overtaken reports whether another owner wrote the effect of records that come after have. It
// happens when an owner was paused while it wrote a round, lost the partition, and writes it after
// it woke up. The fold row is written before tables, so if it is not there, no table row is. The
// rows are correct, and catchUp takes them over. Without transactions the answer is always false.
func (j *journal) overtaken(ctx context.Context, have int64) (bool, error) {
	if !j.sends {
		return false, nil
	}
	row, err := j.written(ctx)
	return err == nil && row.At > have, err
}

const foldKind = "fold"

// written returns the fold row in the store.
func (j *journal) written(ctx context.Context) (*schema.FoldRow, error) {
	return readFold(ctx, j.store, j.partition, foldKind)
}

// readFold reads a row of table fold; an empty one if there is none.
func readFold(ctx context.Context, store state.Store, partition int32, kind string) (*schema.FoldRow, error) {
	row := &schema.FoldRow{}
	cells, err := store.Get(ctx, schema.Fold, foldKey(partition, kind))
	if errors.Is(err, state.ErrNotFound) {
		return row, nil
	}
	if err != nil {
		return nil, err
	}
	return row, row.UnmarshalVT(cells[0].Bytes())
}

// redo writes the rows of a round again. Rows that are there already do not change.
func (j *journal) redo(ctx context.Context, row *schema.FoldRow) error {
	err := j.each(ctx, row.From, row.At, func(e *schema.JournalEntry) error {
		for _, w := range e.Writes {
			if err := j.rows.putWrite(w, e.At); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return j.rows.batch.Commit(ctx)
}

// each calls fn for the entries of the records after the first stamp up to the last one, as far as
// the journal reaches.
func (j *journal) each(ctx context.Context, after, last int64, fn func(*schema.JournalEntry) error) error {
	if last == 0 {
		return nil
	}
	begin := int64(state.At(state.Stamp(last).Era(), 0))
	for ts := max(after+1, begin, last-j.window+1); ts <= last; {
		slots := min(last-ts+1, state.MaxKeys)
		entries, err := j.entries(ctx, ts, slots)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := fn(e); err != nil {
				return err
			}
		}
		ts += slots
	}
	return nil
}

// entries returns the entries of n records from ts on; records without one are left out.
func (j *journal) entries(ctx context.Context, ts, n int64) ([]*schema.JournalEntry, error) {
	var names []state.Value
	for i := range n {
		names = append(names, state.Str(j.slotName(ts+i)))
	}
	found, err := j.store.GetMany(ctx, schema.Fold, state.Key{state.Num(int64(j.partition))}, names)
	if err != nil {
		return nil, err
	}
	var out []*schema.JournalEntry
	for _, row := range found {
		e := &schema.JournalEntry{}
		if err := e.UnmarshalVT(row.Cells[0].Bytes()); err != nil {
			return nil, err
		}
		if e.At >= ts && e.At < ts+n {
			out = append(out, e)
		}
	}
	return out, nil
}
