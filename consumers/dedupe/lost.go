package dedupe

import (
	"context"
	"maps"
	"slices"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// A docs.unique that was cut, or created anew, lacks records that the rows say were sent. Every
// round notes the acknowledged end of the partition (UniqueRow.end), so the next owner notices a
// cut: the partition ends before that. Then it compares the partition with the pages in the
// journal, which has the newest records, the ones that a cut hits. Missing records are kept by key
// (UniqueRow.lost) until something newer of the page is published. Meanwhile the fold describes the
// topic as it should be, and no proof is written.
//
// With transactions the last round of an era may be missing although the partition was not cut: its
// rows were written, then its transaction was aborted. In the same era its records come again and
// are known by their stamps; in a new era (torn) the partition is compared in the same way. If the
// record of a lost document comes again, the document is published from it.
//
// A lost tombstone is appended again. A text is not kept, so the page of a lost document is asked
// for again (with a Recheck, which always leads to a document) and published when its document
// comes.

const uniqueKind = "unique"

// askAfter is the time in which the records of a torn round come again, if they are in the log.
const askAfter = 10 * time.Second

// unique is the state of a task's partition of docs.unique: the stored row, and the lost pages.
type unique struct {
	row     *schema.UniqueRow // as in the store
	staged  int64             // records appended in this round
	changed []string          // lost pages that a record of this round changed
	ask     []string          // lost pages that this owner has not asked for yet
	again   []sending         // of a round whose transaction may have been aborted
	soon    bool              // the records of lost pages may come again by themselves: ask askAfter later
	askFrom time.Time         // nothing is asked for before it
	dirty   bool              // some lost pages were removed
}

// settled notes that a row is durable; nil if none was written.
func (u *unique) settled(row *schema.UniqueRow) {
	u.staged, u.changed = 0, nil
	if row != nil {
		u.row, u.dirty = row, false
	}
}

// checkUnique finds out whether docs.unique still has what was appended, and writes down what it
// lacks. Transaction markers only make the partition longer than the noted end. It runs once per
// owner, in Recover.
func (t *task) checkUnique(ctx context.Context) error {
	log := t.part.Log()
	if log == nil {
		return nil
	}
	row, err := t.readUniqueRow(ctx)
	if err != nil {
		return err
	}
	end, err := log.Appended(ctx, topics.Unique().Name, t.part.ID())
	if err != nil {
		return err
	}
	was := row.CloneVT()
	anew := row.TopicId != "" && row.TopicId != t.uniqueID
	cut := !anew && end < row.End
	row.TopicId, row.End = t.uniqueID, end
	torn := t.torn()
	if anew || cut || torn || row.Unsure > 0 {
		if err := t.findLost(ctx, log, end, anew); err != nil {
			return err
		}
		row.Seq++
		row.Lost, row.Unsure = t.listLost(), t.rows.unsure
		if err := t.writeFound(ctx, row, end); err != nil {
			return err
		}
		if anew || cut || torn && len(t.rows.lost) > 0 {
			t.sayLost(was, row, anew)
		}
	}
	t.unique = unique{row: row, ask: slices.Sorted(maps.Keys(t.rows.lost)), soon: torn && !anew && !cut}
	if torn {
		t.unique.again, err = t.journal.discovered(ctx)
	}
	return err
}

// torn reports whether docs.unique may lack the last round of an earlier era. Its rows are durable,
// and its transaction may have been aborted; its records come again as new ones, whose versions are
// known, or not at all.
func (t *task) torn() bool {
	at := state.Stamp(t.fold.at)
	return t.journal.sends && at > 0 && at.Era() < t.part.Era()
}

// discovered returns what the last round appended to urls.discovered.
func (j *journal) discovered(ctx context.Context) (sends []sending, err error) {
	row, err := j.written(ctx)
	if err != nil {
		return nil, err
	}
	err = j.each(ctx, row.From, row.At, func(e *schema.JournalEntry) error {
		for _, s := range e.Sends {
			if d := s.GetDiscovered(); d != nil {
				sends = append(sends, sending{discovered: d})
			}
		}
		return nil
	})
	return sends, err
}

// isLost reports whether docs.unique lacks the record that a row says was sent: it is in the list
// of lost records, or, while more is lost than the list has (unsure), the row was not written since
// the loss and the topic had another record.
func (r *rows) isLost(e *docEntry) bool {
	if l := r.lost[e.key]; l != nil && l.Sent == e.row.Sent && !slices.Contains(r.resent, e.key) {
		return true
	}
	return r.unsure > 0 && e.row.At <= r.unsure && e.row.Sent != r.live[e.key].sent
}

// catchUpUnique reads again what another owner wrote about docs.unique meanwhile.
func (t *task) catchUpUnique(ctx context.Context) error {
	u := &t.unique
	if u.row == nil {
		return nil
	}
	row, err := t.readUniqueRow(ctx)
	if err == nil && row.Seq > u.row.Seq {
		row.End = max(row.End, u.row.End)
		u.row = row
	}
	return err
}

// readUniqueRow reads what an earlier owner noted about docs.unique.
func (t *task) readUniqueRow(ctx context.Context) (*schema.UniqueRow, error) {
	row := &schema.UniqueRow{}
	if _, err := t.rows.read(ctx, schema.Fold, foldKey(t.part.ID(), uniqueKind), row); err != nil {
		return nil, err
	}
	t.rows.lost, t.rows.unsure = map[string]*schema.Lost{}, row.Unsure
	for _, l := range row.Lost {
		t.rows.lost[l.RowKey] = l
	}
	return row, nil
}

// findLost compares the pages in the journal with the newest records of the topic.
func (t *task) findLost(ctx context.Context, log *streams.Log, end int64, anew bool) error {
	live, err := standingOn(ctx, log, t.part.ID(), end)
	if err != nil {
		return err
	}
	keys, err := t.journal.pages(ctx)
	if err != nil {
		return err
	}
	for _, key := range keys {
		row := &schema.DocRow{}
		if _, err := t.rows.read(ctx, schema.DocTable, docKey(key), row); err != nil {
			return err
		}
		if !anew && row.SentEra != t.fold.uniqueEra {
			row.Sent = 0
		}
		if now := live[key]; row.Sent != now.sent {
			t.rows.lost[key] = &schema.Lost{RowKey: key, Sent: row.Sent, Site: now.site}
		}
	}
	t.doubt(live, anew)
	return nil
}

// doubt finds out whether the topic lacks more records than findLost found, of pages that the
// journal does not name: then the XOR of the record hashes is not the digest of the fold. Such
// losses are noticed when the pages' documents come (isLost).
func (t *task) doubt(live map[string]stood, anew bool) {
	all := uint64(0)
	for _, s := range live {
		all ^= s.sent
	}
	for key, l := range t.rows.lost {
		all ^= live[key].sent ^ l.Sent
	}
	switch {
	case anew || all == t.fold.digest:
		t.rows.unsure, t.rows.live = 0, nil
	case t.rows.unsure == 0:
		t.rows.unsure, t.rows.live = t.fold.at, live
	default:
		t.rows.live = live
	}
}

// stood is the newest record of a key on the topic: its hash, and the site of its page.
type stood struct {
	sent uint64
	site string
}

// standingOn reads the newest record of each key of a partition of docs.unique up to an offset. It
// keeps all keys of the partition in memory.
func standingOn(ctx context.Context, log *streams.Log, partition int32, end int64) (map[string]stood, error) {
	live := map[string]stood{}
	err := log.Scan(ctx, topics.Unique().Name, partition, 0, end, func(r streams.Raw) error {
		if r.Value == nil {
			delete(live, r.Key)
			return nil
		}
		u := &schema.Unique{}
		_ = u.UnmarshalVT(r.Value) // if it cannot be read, only the site is unknown
		live[r.Key] = stood{schema.RecordHash(r.Key, r.Value), u.GetDoc().GetSite()}
		return nil
	})
	return live, err
}

// pages returns the pages whose rows the journal's entries write.
func (j *journal) pages(ctx context.Context) ([]string, error) {
	found := map[string]bool{}
	err := j.each(ctx, 0, j.settled.at, func(e *schema.JournalEntry) error {
		for _, w := range e.Writes {
			if w.Table == schema.DocTable.Name {
				found[string(w.Key[0])] = true
			}
		}
		return nil
	})
	return slices.Sorted(maps.Keys(found)), err
}

// listLost returns the lost records in order, as many as fit in a row. If this owner ends before
// the pages of the others came, those are not found any more.
func (t *task) listLost() []*schema.Lost {
	var out []*schema.Lost
	bytes := 0
	for _, key := range slices.Sorted(maps.Keys(t.rows.lost)) {
		l := t.rows.lost[key]
		if bytes += l.SizeVT() + 8; bytes > maxEntry-1<<10 {
			break
		}
		out = append(out, l)
	}
	return out
}

// writeFound makes the list of lost records durable before anything is appended, and deletes the
// proof if its offset was cut off.
func (t *task) writeFound(ctx context.Context, row *schema.UniqueRow, end int64) error {
	st, err := row.MarshalVT()
	if err != nil {
		return err
	}
	list := []state.Mutation{{
		Table: schema.Fold, Key: foldKey(t.part.ID(), uniqueKind), TS: row.Seq, Cells: state.Cells{state.Bytes(st)},
	}}
	proof, err := readFold(ctx, t.group.deps.Store, t.part.ID(), proofKind)
	if err != nil {
		return err
	}
	if proof.At > 0 && (proof.Offset > end || proof.UniqueId != t.uniqueID) {
		list = append(list, state.Mutation{Table: schema.Fold, Key: foldKey(t.part.ID(), proofKind), TS: proof.At, Delete: true})
	}
	return t.group.deps.Store.Write(ctx, list)
}

func (t *task) sayLost(was, now *schema.UniqueRow, anew bool) {
	tombstones := 0
	for _, l := range t.rows.lost {
		if l.Sent == 0 {
			tombstones++
		}
	}
	t.log.Error("docs.unique lost records: their pages are asked for again, their tombstones appended again",
		"made_anew", anew, "ended_at", was.End, "ends_at", now.End,
		"documents", len(t.rows.lost)-tombstones, "tombstones", tombstones, "others_too", now.Unsure > 0)
}

// askForLost asks once for the pages of lost documents, and appends lost tombstones again.
func (t *task) askForLost(ctx context.Context, now time.Time) error {
	if len(t.unique.ask) == 0 && len(t.unique.again) == 0 {
		return nil
	}
	if t.unique.soon {
		t.unique.soon, t.unique.askFrom = false, now.Add(askAfter)
	}
	if now.Before(t.unique.askFrom) {
		return nil
	}
	sends := t.unique.again
	var done []string
	for _, key := range t.unique.ask {
		l, row := t.rows.lost[key], &schema.DocRow{}
		if l == nil {
			continue
		}
		if _, err := t.rows.read(ctx, schema.DocTable, docKey(key), row); err != nil {
			return err
		}
		c := &change{in: subject{site: l.Site}, at: now}
		switch {
		case row.Sent != l.Sent || slices.Contains(t.rows.resent, key): // a later record of the page was published
			done = append(done, key)
		case l.Sent == 0:
			sends = append(sends, sending{tombstone: c.reasonOf(&docEntry{key: key, row: row})})
			done = append(done, key)
		default:
			sends = append(sends, sending{discovered: c.recheckOf(asked{key, "lost_on_docs_unique"})})
		}
	}
	t.emit(sends)
	for _, key := range done {
		delete(t.rows.lost, key)
	}
	t.unique.ask, t.unique.again, t.unique.dirty = nil, nil, t.unique.dirty || len(done) > 0
	return nil
}

// noteChanged notes which lost pages the record at work changed, and whose documents it sends.
func (t *task) noteChanged(sends []sending) {
	for _, s := range sends {
		if key := s.upsert.GetDoc().GetRowKey(); t.rows.lost[key] != nil {
			t.rows.resent = append(t.rows.resent, key)
		}
	}
	for key := range t.rows.docs {
		if t.rows.lost[key] != nil {
			t.unique.changed = append(t.unique.changed, key)
		}
	}
}

// putUniqueRow stages the end of docs.unique after this round and the list of lost records; nil if
// neither changed.
func (t *task) putUniqueRow(ctx context.Context) (*schema.UniqueRow, error) {
	u := &t.unique
	if u.row == nil {
		return nil, nil
	}
	for _, key := range u.changed {
		row := &schema.DocRow{}
		if _, err := t.rows.read(ctx, schema.DocTable, docKey(key), row); err != nil {
			return nil, err
		}
		if l := t.rows.lost[key]; l != nil && (l.Sent != row.Sent || slices.Contains(t.rows.resent, key)) {
			delete(t.rows.lost, key)
			u.dirty = true
		}
	}
	if u.staged == 0 && !u.dirty {
		return nil, nil
	}
	row := &schema.UniqueRow{Seq: u.row.Seq + 1, TopicId: t.uniqueID, End: u.row.End + u.staged, Lost: t.listLost(), Unsure: t.rows.unsure}
	return row, t.rows.putFold(thenFold, foldKey(t.part.ID(), uniqueKind), row.Seq, row)
}
