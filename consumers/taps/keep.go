package taps

// keep adds a record to the spool, if its format wants it.
func (t *task[M]) keep(rec *Record) error {
	if err := t.begin(); err != nil {
		return err
	}
	now := t.tap.deps.Clock()
	if !t.tap.format.Wants(rec) {
		t.open.pass(rec, now)
		return nil
	}
	return t.open.add(t.tap.format.Part(rec), rec, now)
}

// begin opens a spool if there is none.
func (t *task[M]) begin() (err error) {
	if t.open == nil {
		t.open, err = newSpool(t.tap.spoolDir)
	}
	return err
}

// tellRoom notes whether a record found room in the spool. The disk of a directory that is full
// refuses it before any file is written.
func (t *task[M]) tellRoom(err error) {
	switch {
	case err != nil:
		t.noRoom = true
		t.tap.failing(t.p.ID(), err.Error())
		t.tap.count("tap_failures", 1)
	case t.noRoom:
		t.noRoom = false
		t.tap.failing(t.p.ID(), "")
	}
}
