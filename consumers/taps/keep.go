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

// kept notes whether a record found room in the spool. The disk of a directory that is full refuses
// it before any file is written.
func (t *Tap) kept(p int32, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.at(p)
	switch {
	case err != nil:
		s.noRoom, s.Error = true, err.Error()
		t.count("tap_failures", 1)
	case s.noRoom:
		s.noRoom, s.Error = false, ""
	}
}
