package dedupe

import (
	"context"
	"errors"

	"millrace/streams"
	"millrace/streams/state"
)

// noteFailure remembers the error if it makes the record a dead letter. An ErrInvalid of the store,
// which a retry would meet again, makes the record one too.
func (t *task) noteFailure(ts int64, err error) error {
	if errors.Is(err, state.ErrInvalid) {
		err = streams.DeadLetter("invalid", "%w", err)
	}
	if errors.As(err, &t.failed) {
		t.failedTS = ts
	}
	return err
}

var errOvertaken = errors.New("an earlier owner wrote what comes of records not handled yet")

// checkAlone checks that no other owner wrote the effect of later records into the rows that were
// read. If one did, it returns errOvertaken: the record is tried again after the other owner's work
// was taken over. It asks only if the store was read since the last check.
func (t *task) checkAlone(ctx context.Context) error {
	if t.checked == t.ahead.Reads {
		return nil
	}
	overtaken, err := t.journal.overtaken(ctx, t.saved.fold.at)
	if overtaken {
		t.overtaken = true
		return errOvertaken
	}
	if err == nil {
		t.checked = t.ahead.Reads
	}
	return err
}

func (t *task) savepoint() {
	t.saved.batch, t.saved.fold, t.saved.staged = t.rows.batch.Savepoint(), t.fold, t.unique.staged
	t.saved.resent = len(t.rows.resent)
}

// Undo forgets what the failed Handle staged. If the record becomes a dead letter, that is noted in
// the journal, and the record counts as handled.
func (t *task) Undo() {
	t.rows.batch.Rollback(t.saved.batch)
	t.fold, t.unique.staged = t.saved.fold, t.saved.staged
	t.rows.resent = t.rows.resent[:t.saved.resent]
	if t.failed == nil {
		return
	}
	if err := t.journal.putDeadLetter(t.failedTS, t.failed); err == nil {
		t.fold.at = t.failedTS
	}
	t.failed = nil
	t.savepoint()
}
