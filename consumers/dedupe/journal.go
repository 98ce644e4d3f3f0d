package dedupe

import (
	"context"
	"errors"
	"fmt"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// Every record that changes something has an entry in the journal: the rows it
// writes and, where a transaction may lose them, the records it appends. A round
// becomes durable as: entries, fold row, tables. So when a crash leaves the tables
// of a round half written, the fold row says that it is to be finished, and the
// entries with what. What the tables hold is then always what all records up to
// fold.at come to, and the rules of this group need not think of crashes.
//
// An entry is (but for the order of its rows) a function of the log up to its record. So it does not matter
// how often, by whom, and in which rounds it is written.

func entryKey(partition int32, slot int64) state.Key {
	return foldKey(partition, fmt.Sprintf("entry/%08d", slot))
}

func (t *task) slot(ts int64) state.Key {
	return entryKey(t.p.ID(), ts&offsets%t.opts.Window)
}

// offsets are the bits of a timestamp below the era.
const offsets = 1<<44 - 1

// record stages what the record at work changed, and its entry.
func (t *task) record() error {
	if err := t.rows.keep(); err != nil {
		return err
	}
	e := &schema.JournalEntry{At: t.ts, Writes: t.rows.writes}
	if t.opts.Transactions {
		e.Sends = t.sends
	}
	if n := e.SizeVT(); n > maxEntry {
		return streams.Poison("too_big", "%s makes a journal entry of %d bytes", t.in.key, n)
	}
	return t.rows.stage(entriesFirst, t.slot(t.ts), t.ts, e)
}

// maxEntry leaves room for the key of an entry.
const maxEntry = state.MaxRowBytes - 4<<10

// again appends once more what a record led to, in case a transaction lost it.
func (t *task) again(ctx context.Context) error {
	t.p.Drop("again", 1)
	e, err := t.entry(ctx, t.ts)
	if err != nil {
		return err
	}
	for _, s := range e.Sends {
		t.emit(s)
	}
	return nil
}

// entry returns the entry of a record; an empty one if it has none.
func (t *task) entry(ctx context.Context, ts int64) (*schema.JournalEntry, error) {
	e := &schema.JournalEntry{}
	if _, err := t.rows.get(ctx, schema.Fold, t.slot(ts), e); err != nil {
		return nil, err
	}
	if e.At != ts { // of an earlier record with this slot
		return &schema.JournalEntry{}, nil
	}
	return e, nil
}

// catchUp takes over what an earlier owner wrote last, and finishes it.
func (t *task) catchUp(ctx context.Context) error {
	row, err := t.written(ctx)
	if err != nil || row.At <= t.fold.at {
		return err
	}
	if err := t.redo(ctx, row); err != nil {
		return err
	}
	t.fold = fold{row.At, row.Digest, row.Documents}
	t.settled, t.overtaken = t.fold, false
	return nil
}

var errOvertaken = errors.New("an earlier owner wrote what comes of records not handled yet")

// alone makes sure that what was read for the record at work is of earlier ones.
// An owner that was paused while it wrote a round, expelled, and woke up, may
// write it now. It begins with the fold row, so if that is not there, nothing was.
// What it writes is right: the record is tried again, and the round taken over.
func (t *task) alone(ctx context.Context) error {
	if !t.opts.Transactions {
		return nil
	}
	row, err := t.written(ctx)
	if err == nil && row.At > t.saved.fold.at {
		t.overtaken = true
		return errOvertaken
	}
	return err
}

// written returns the fold row in the store.
func (t *task) written(ctx context.Context) (*schema.FoldRow, error) {
	row := &schema.FoldRow{}
	cells, err := t.opts.Store.Get(ctx, schema.Fold, foldKey(t.p.ID(), "fold"))
	if errors.Is(err, state.ErrNotFound) {
		return row, nil
	}
	if err != nil {
		return nil, err
	}
	return row, row.UnmarshalVT(cells[0].Bytes())
}

// redo writes the rows of a round once more: those that are there stay as they are.
func (t *task) redo(ctx context.Context, row *schema.FoldRow) error {
	from := max(row.From+1, row.At&^offsets, row.At-t.opts.Window+1)
	for ts := from; ts <= row.At; ts++ {
		e, err := t.entry(ctx, ts)
		if err != nil {
			return err
		}
		for _, w := range e.Writes {
			if err := t.rows.put(w, ts); err != nil {
				return err
			}
		}
	}
	return t.rows.b.Commit(ctx)
}
