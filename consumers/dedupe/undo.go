package dedupe

import (
	"context"
	"errors"

	"millrace/streams"
	"millrace/streams/state"
)

// noteFailure keeps the reason why a record becomes a dead letter for what it led to.
// What the store would refuse for ever is such a reason too.
func (t *task) noteFailure(ts int64, err error) error {
	if errors.Is(err, state.ErrInvalid) {
		err = streams.Poison("invalid", "%w", err)
	}
	if errors.As(err, &t.failed) {
		t.failedTS = ts
	}
	return err
}

var errOvertaken = errors.New("an earlier owner wrote what comes of records not handled yet")

// checkAlone makes sure that what was read is of records handled here. If it is not,
// the record is tried again after what the other one wrote was taken over.
// Reads that were checked are not checked again.
func (t *task) checkAlone(ctx context.Context) error {
	if t.checked == t.ahead.reads {
		return nil
	}
	overtaken, err := t.journal.overtaken(ctx, t.saved.fold.at)
	if overtaken {
		t.overtaken = true
		return errOvertaken
	}
	if err == nil {
		t.checked = t.ahead.reads
	}
	return err
}

func (t *task) savepoint() {
	t.saved.batch, t.saved.fold, t.saved.staged = t.rows.batch.Savepoint(), t.fold, t.unique.staged
}

// Undo forgets what the failed Handle staged. A record that becomes a dead letter is
// noted in the journal, and counts as handled.
func (t *task) Undo() {
	t.rows.batch.Rollback(t.saved.batch)
	t.fold, t.unique.staged = t.saved.fold, t.saved.staged
	if t.failed == nil {
		return
	}
	if err := t.journal.putDeadLetter(t.failedTS, t.failed); err == nil {
		t.fold.at = t.failedTS
	}
	t.failed = nil
	t.savepoint()
}
